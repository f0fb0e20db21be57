import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_MEDIA_TYPE, Problem } from '../../api/problem.ts';
import { SIMULATION_PROBLEMS } from '../../simulation/fault.ts';
import { PROTOCOL_PAGE } from '../../simulation/protocol/problems.ts';
import { type Answer, problemAnswer } from '../request/answer.ts';
import { writeRawResponse } from '../request/raw-response.ts';

export const SIMULATION_PATH = '/philosophy/simulation';

/**
 * Whether a request becomes a WebSocket. For node:http's `shouldUpgradeCallback`: without it, a server with an `upgrade`
 * listener also hands over ordinary requests that offer a protocol, such as `curl --http2`.
 */
export function isSimulationUpgrade({
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

/** Problems that only an upgrade has; one of the messages’ problems is known beforehand, too. */
export const UPGRADE_PROBLEMS = {
  foreign_origin: {
    status: 403,
    title: 'Pages of this web origin may not connect',
    meaning: 'The browser sent a web origin that is not on the list of permitted origins.',
  },
  bad_handshake: {
    status: 400,
    title: 'Not a WebSocket handshake',
    meaning: 'A header required by RFC 6455 §4.1 is missing or invalid, or the version is not 13.',
  },
} as const satisfies Readonly<Record<string, { status: number; title: string; meaning: string }>>;

export type UpgradeProblemCode = keyof typeof UPGRADE_PROBLEMS | 'too_many_connections';

/** Thrown for a refusal that is not a Problem of other requests. */
export class UpgradeRefusal extends Error {
  readonly code: UpgradeProblemCode;
  readonly headers: Record<string, string>;

  constructor(code: UpgradeProblemCode, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.name = 'UpgradeRefusal';
    this.code = code;
    this.headers = headers;
  }
}

/** Answers with a problem document and closes the connection. Upgrades have no response object. */
export function rejectUpgrade(
  socket: Duplex,
  refusal: Problem | UpgradeRefusal,
  about: { id: string; now: number },
): void {
  const answer =
    refusal instanceof Problem ? problemAnswer(refusal, SIMULATION_PATH) : refusalAnswer(refusal);
  writeRawResponse(answer, socket, about);
}

function refusalAnswer({ code, message, headers }: UpgradeRefusal): Answer {
  const { status, title } = { ...UPGRADE_PROBLEMS, ...SIMULATION_PROBLEMS }[code];
  const type = `${PROTOCOL_PAGE}#${code}`;
  const problem = { type, title, status, detail: message, instance: SIMULATION_PATH, code };
  return {
    status,
    headers: { 'Content-Type': PROBLEM_MEDIA_TYPE, 'Cache-Control': 'no-store', ...headers },
    body: Buffer.from(`${JSON.stringify(problem)}\n`),
  };
}
