import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROBLEM_MEDIA_TYPE, Problem } from '../../api/problem.ts';
import { PROTOCOL_PAGE } from '../../simulation/protocol/problems.ts';
import { type Answer, problemAnswer } from '../request/answer.ts';
import { writeRawResponse } from '../request/raw-response.ts';

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

/** Why an upgrade is refused, where no problem of other requests says it. */
export const UPGRADE_PROBLEMS = {
  foreign_origin: {
    status: 403,
    title: 'Pages of this origin may not connect',
    meaning:
      'A browser said that the connection is asked for by a page of another site than those that are let in.',
  },
  too_many_connections: {
    status: 503,
    title: 'There are too many connections now',
    meaning: 'As many as the service can hold are open, in all or from this network.',
  },
  bad_handshake: {
    status: 400,
    title: 'This is no WebSocket handshake',
    meaning: 'A header that RFC 6455 §4.1 requires is missing or wrong, or the version is not 13.',
  },
} as const satisfies Readonly<Record<string, { status: number; title: string; meaning: string }>>;

export type UpgradeProblemCode = keyof typeof UPGRADE_PROBLEMS;

/** An upgrade that is refused for a reason of its own. */
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

/** Answers with a problem document and closes the connection: there is no response object for an upgrade. */
export function refuseUpgrade(
  socket: Duplex,
  refusal: Problem | UpgradeRefusal,
  about: { id: string; now: number },
): void {
  const answer =
    refusal instanceof Problem ? problemAnswer(refusal, SIMULATION_PATH) : refusalAnswer(refusal);
  writeRawResponse(answer, socket, about);
}

function refusalAnswer({ code, message, headers }: UpgradeRefusal): Answer {
  const { status, title } = UPGRADE_PROBLEMS[code];
  const type = `${PROTOCOL_PAGE}#${code}`;
  const problem = { type, title, status, detail: message, instance: SIMULATION_PATH, code };
  return {
    status,
    headers: { 'Content-Type': PROBLEM_MEDIA_TYPE, 'Cache-Control': 'no-store', ...headers },
    body: Buffer.from(`${JSON.stringify(problem)}\n`),
  };
}
