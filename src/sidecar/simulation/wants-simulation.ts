import type { IncomingMessage } from 'node:http';

export const SIMULATION_PATH = '/philosophy/simulation';

/**
 * Whether a request is to become a WebSocket. For node:http's `shouldUpgradeCallback`: without it, a server with an
 * `upgrade` listener hands over every request that names a protocol, `curl --http2` of a data file too.
 */
export function wantsSimulation({
  url = '',
  headers,
  httpVersion,
}: Pick<IncomingMessage, 'url' | 'headers' | 'httpVersion'>): boolean {
  // A server must ignore Upgrade in HTTP/1.0 (RFC 9110 §7.8).
  if (httpVersion !== '1.1') return false;
  return pathOf(url) === SIMULATION_PATH && /\bwebsocket\b/i.test(headers.upgrade ?? '');
}

export function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0]!;
}
