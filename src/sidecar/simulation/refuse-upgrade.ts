import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { PROTOCOL_PAGE } from '../../simulation/protocol/problems.ts';
import { formatProblem, PROBLEM_MEDIA_TYPE, Problem } from '../problem.ts';

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
export function refuseUpgrade(socket: Duplex, refusal: Problem | UpgradeRefusal, instance: string): void {
  const status = refusal instanceof Problem ? refusal.status : UPGRADE_PROBLEMS[refusal.code].status;
  const body = refusal instanceof Problem ? formatProblem(refusal, instance) : format(refusal, instance);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
    ...Object.entries(refusal.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // Without a listener, a client that is gone already would end the process.
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

function format({ code, message }: UpgradeRefusal, instance: string): string {
  const { status, title } = UPGRADE_PROBLEMS[code];
  const type = `${PROTOCOL_PAGE}#${code}`;
  return `${JSON.stringify({ type, title, status, detail: message, instance, code })}\n`;
}
