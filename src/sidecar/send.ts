import { pipeline } from 'node:stream/promises';
import { COMMON_HEADERS } from '../../pipeline/publish/headers.ts';
import type { Answer } from './answer.ts';
import type { Visit } from './visit.ts';

type Headers = Record<string, string>;

/** For a year: a client that came over TLS once never comes without it. */
const HSTS: Headers = { 'Strict-Transport-Security': 'max-age=31536000' };

/** Joining copies the body, which pays up to about here. */
const MAX_JOINED_BYTES = 16_384;
/** Each byte as the character of that number, of bodies that are sent again and again. */
const LATIN1 = new WeakMap<Buffer, string>();

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
  } else if (Buffer.isBuffer(body)) endWith(body, visit);
  else return stream(body, visit);
}

/**
 * A short body goes out in one piece with its header, which node:http does for strings alone; written by themselves, the two
 * cost a good part of all that is done for a small file.
 */
function endWith(body: Buffer, { response }: Visit): void {
  if (body.length > MAX_JOINED_BYTES) response.end(body);
  else response.end(latin1Of(body), 'latin1');
}

function latin1Of(body: Buffer): string {
  let text = LATIN1.get(body);
  if (text === undefined) {
    text = body.toString('latin1');
    LATIN1.set(body, text);
  }
  return text;
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
