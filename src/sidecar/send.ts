import { pipeline } from 'node:stream/promises';
import { COMMON_HEADERS } from '../../pipeline/publish/headers.ts';
import type { Answer } from './answer.ts';
import type { Visit } from './visit.ts';

type Headers = Record<string, string>;

/** For a year: a client that came over TLS once never comes without it. */
const HSTS: Headers = { 'Strict-Transport-Security': 'max-age=31536000' };

/** On every answer, with those of its own. */
export function headersOf(visit: Visit, own: Readonly<Headers>): Headers {
  const { id, address, request } = visit;
  const headers: Headers = { ...COMMON_HEADERS, 'X-Request-Id': id, ...own };
  if (address.isSecure(request)) Object.assign(headers, HSTS);
  if (mayHaveBody(visit)) headers.Connection = 'close';
  return headers;
}

/** A stream's promise resolves when all of it was handed to the connection, and rejects, after the connection was cut, where it fails. */
export function send({ status, headers, body }: Answer, visit: Visit): void | Promise<void> {
  const { request, response } = visit;
  if (response.destroyed) {
    if (body !== null && !Buffer.isBuffer(body)) body.destroy();
    return;
  }
  if (Buffer.isBuffer(body)) headers = { 'Content-Length': String(body.length), ...headers };
  response.writeHead(status, headersOf(visit, headers));
  if (body === null || request.method === 'HEAD') {
    if (body !== null && !Buffer.isBuffer(body)) body.destroy();
    response.end();
  } else if (Buffer.isBuffer(body)) response.end(body);
  else return stream(body, visit);
}

/** What was sent cannot be taken back, so a client is told by a connection that breaks off. */
async function stream(body: NodeJS.ReadableStream, { response }: Visit): Promise<void> {
  await pipeline(body, response).catch((error: NodeJS.ErrnoException) => {
    // The client has gone, which is its right.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** Such a connection is closed after the answer: whatever its body holds is not worth reading. */
function mayHaveBody({ request: { headers } }: Visit): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
