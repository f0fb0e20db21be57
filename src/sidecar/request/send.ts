import { pipeline } from 'node:stream/promises';
import { COMMON_HEADERS } from '../../../pipeline/release/format/headers.ts';
import { FileBody } from '../files/file-body.ts';
import { type Answer, discard } from './answer.ts';
import type { Visit } from './visit.ts';
import { watchStall } from './watch-stall.ts';

type Headers = Record<string, string>;

/** For a year: a client that came over TLS once never comes without it. */
const HSTS = ['Strict-Transport-Security', 'max-age=31536000'];
const FLAT = new WeakMap<Readonly<Headers>, readonly string[]>();

/** Joining copies the body, which pays up to about here. */
const MAX_JOINED_BYTES = 16_384;
/** Each byte as the character of that number, of bodies that are sent again and again. */
const LATIN1 = new WeakMap<Buffer, string>();

/** All of an answer's headers, names and values in turn: those of every answer, its own, and `more`. */
export function headersOf(
  { id, address, request, bodyRead }: Visit,
  own: Readonly<Headers>,
  more?: Readonly<Headers>,
): string[] {
  const headers = [...flat(own), 'X-Request-Id', id];
  for (const name in more) headers.push(name, more[name]!);
  if (address.isSecure(request)) headers.push(...HSTS);
  // Whatever the body of such a request holds is not worth reading.
  if (!bodyRead && mayHaveBody(request)) headers.push('Connection', 'close');
  return headers;
}

/** Names and values in turn, which node:http takes as they are; those of a file are the same for each request. */
function flat(own: Readonly<Headers>): readonly string[] {
  let known = FLAT.get(own);
  if (!known) {
    known = Object.entries({ ...COMMON_HEADERS, ...own }).flat();
    FLAT.set(own, known);
  }
  return known;
}

/** A stream's promise resolves when all of it was handed to the connection, and rejects, after the connection was cut, where it fails. */
export function send(answer: Answer, visit: Visit): void | Promise<void> {
  const { request, response } = visit;
  if (response.destroyed) return discard(answer);
  const { status, body } = answer;
  response.writeHead(status, headersOf(visit, withLength(answer), answer.more));
  if (body === null || request.method === 'HEAD') {
    discard(answer);
    response.end();
  } else if (Buffer.isBuffer(body)) endWith(body, visit);
  else return watched(body instanceof FileBody ? body.writeTo(response) : stream(body, visit), visit);
}

function withLength({ headers, body }: Answer): Readonly<Headers> {
  if (!Buffer.isBuffer(body) || headers['Content-Length'] !== undefined) return headers;
  return { ...headers, 'Content-Length': String(body.length) };
}

async function watched(sending: Promise<void>, { response, stallMs }: Visit): Promise<void> {
  const stop = watchStall(response, stallMs);
  try {
    await sending;
  } finally {
    stop();
  }
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

function mayHaveBody({ headers }: Visit['request']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
