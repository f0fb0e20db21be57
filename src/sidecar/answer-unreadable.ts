import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { formatProblem, PROBLEM_MEDIA_TYPE, Problem, type ProblemCode } from './problem.ts';

/** By Node's code for what is wrong; anything else is a bad request. */
const CODES: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Answers what is not HTTP, and so never becomes a request, and closes the connection. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = new Problem(CODES[error.code ?? ''] ?? 'bad_request', 'The request could not be read.');
  const body = formatProblem(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
