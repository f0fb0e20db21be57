import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { COMMON_HEADERS } from '../../../pipeline/release/format/response-headers.ts';
import { Problem, type ProblemCode } from '../../api/problem.ts';
import { ALLOW } from '../../api/routes/route.ts';
import { type Answer, problemAnswer } from './answer.ts';

interface ResponseFacts {
  /** Of the request. */
  id: string;
  /** ms since 1970 */
  now: number;
}

/** By the code of node:http's error; any other is a bad request. */
const CODES: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};

/** Answers bytes that are not HTTP. Returns the problem; null if the client has disconnected. */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  facts: ResponseFacts,
): Problem | null {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return null;
  }
  const code = CODES[error.code ?? ''] ?? 'bad_request';
  return writeRawProblem(new Problem(code, 'The request could not be read.'), socket, facts);
}

/** Answers CONNECT, which node:http does not turn into a request. */
export function answerConnect(socket: Duplex, facts: ResponseFacts): Problem {
  const detail = `CONNECT is not one of ${ALLOW}.`;
  return writeRawProblem(new Problem('method_not_allowed', detail, { Allow: ALLOW }), socket, facts);
}

function writeRawProblem(problem: Problem, socket: Duplex, facts: ResponseFacts): Problem {
  writeRawResponse(problemAnswer(problem), socket, facts);
  return problem;
}

/**
 * How long a client may go on sending after the response, ms. Closing a connection on which bytes arrive resets it, and the
 * client may lose the response (RFC 9112 §9.6); one that stays half open is closed.
 */
const LINGER_MS = 1000;

/** Writes a whole response where node:http has no response object, with the usual headers, and closes the connection. */
export function writeRawResponse(
  { status, headers, body }: Answer,
  socket: Duplex,
  { id, now }: ResponseFacts,
): void {
  const text = String(body);
  const all = {
    ...COMMON_HEADERS,
    ...headers,
    Date: new Date(now).toUTCString(),
    'X-Request-Id': id,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}
