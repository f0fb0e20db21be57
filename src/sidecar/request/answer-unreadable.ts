import type { Duplex } from 'node:stream';
import { ALLOW } from '../../api/paths.ts';
import { Problem, type ProblemCode } from '../../api/problem.ts';
import { problemAnswer } from './answer.ts';
import { writeRawAnswer } from './write-raw-answer.ts';

/** By Node's code for what is wrong; anything else is a bad request. */
const CODES: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** What is not HTTP, and so never becomes a request: the answer's status, or null where nobody is there to be answered. */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { id, now }: { id: string; now: number },
): number | null {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return null;
  }
  const code = CODES[error.code ?? ''] ?? 'bad_request';
  return answerRaw(new Problem(code, 'The request could not be read.'), socket, { id, now });
}

/** To CONNECT, for which node:http has no answer. */
export function answerConnect(socket: Duplex, about: { id: string; now: number }): number {
  const detail = `CONNECT is not one of ${ALLOW}.`;
  return answerRaw(new Problem('method_not_allowed', detail, { Allow: ALLOW }), socket, about);
}

function answerRaw(problem: Problem, socket: Duplex, about: { id: string; now: number }): number {
  writeRawAnswer(problemAnswer(problem), socket, about);
  return problem.status;
}
