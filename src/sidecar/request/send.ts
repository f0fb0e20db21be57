import type { ServerResponse } from 'node:http';
import {
  CACHE_TAG,
  COMMON_HEADERS,
  isReplacedByRelease,
} from '../../../pipeline/release/format/response-headers.ts';
import { type Answer, discard } from './answer.ts';
import type { RequestContext } from './request-context.ts';

type Headers = Record<string, string>;

/** For a year: a client that used TLS once never comes without it. */
const HSTS = ['Strict-Transport-Security', 'max-age=31536000'];
const FLAT = new WeakMap<Readonly<Headers>, readonly string[]>();

/** Up to this size, copying the body to join it with the header is faster than a second write. */
const MAX_JOINED_BYTES = 16_384;
/** Bodies that are sent repeatedly, each byte as the character of that number. */
const LATIN1 = new WeakMap<Buffer, string>();

/** Resolves when a streamed body was handed over to the connection; rejects if reading it fails, with the connection closed. */
export function send(answer: Answer, context: RequestContext): void | Promise<void> {
  const { request, response } = context;
  if (response.destroyed) return discard(answer);
  const { status, body } = answer;
  response.writeHead(status, headersOf(context, withLength(answer), answer.more));
  if (body === null || request.method === 'HEAD') {
    discard(answer);
    response.end();
  } else if (Buffer.isBuffer(body)) endWith(body, response);
  else return whileNotStalled(body.writeTo(response), context);
}

/** All headers of an answer, names and values in turn: the common ones, its own, and `more`. */
export function headersOf(
  { id, request, bodyRead, all: { address, cacheTagHeader } }: RequestContext,
  own: Readonly<Headers>,
  more?: Readonly<Headers>,
): string[] {
  const headers = [...flat(own), 'X-Request-Id', id];
  for (const name in more) headers.push(name, more[name]!);
  if (cacheTagHeader !== null && isReplacedByRelease(own['Cache-Control']))
    headers.push(cacheTagHeader, CACHE_TAG);
  if (address.isSecure(request)) headers.push(...HSTS);
  // Closing the connection is cheaper than reading a body that nobody wants.
  if (!bodyRead && mayHaveBody(request)) headers.push('Connection', 'close');
  return headers;
}

/** Names and values in turn, as node:http takes them. The headers of a file are the same object for each request. */
function flat(own: Readonly<Headers>): readonly string[] {
  let known = FLAT.get(own);
  if (!known) {
    known = Object.entries({ ...COMMON_HEADERS, ...own }).flat();
    FLAT.set(own, known);
  }
  return known;
}

function withLength({ headers, body }: Answer): Readonly<Headers> {
  if (!Buffer.isBuffer(body) || headers['Content-Length'] !== undefined) return headers;
  return { ...headers, 'Content-Length': String(body.length) };
}

/**
 * Sends a short body in one piece with its header, which node:http does only for strings. Two writes take a good part of the
 * whole time that a small file takes.
 */
function endWith(body: Buffer, response: ServerResponse): void {
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

async function whileNotStalled(sending: Promise<void>, { response, all }: RequestContext): Promise<void> {
  const stop = cutStalledResponse(response, all.stallMs);
  try {
    await sending;
  } finally {
    stop();
  }
}

/** How often progress is checked, ms. */
const CHECK_MS = 1000;

/**
 * Closes the connection if the client takes no bytes for `ms`; returns what ends the check. The timeout of node:http takes up
 * to twice as long, and bytes that the client sends meanwhile postpone it indefinitely.
 */
function cutStalledResponse(response: ServerResponse, ms: number): () => void {
  // The next chunk is written when the client has taken the previous one.
  let [written, since] = [-1, performance.now()];
  const check = () => {
    const now = response.socket?.bytesWritten ?? -1;
    if (now !== written || response.socket === null) [written, since] = [now, performance.now()];
    else if (performance.now() - since >= ms) cutOff(response);
  };
  const timer = setInterval(check, Math.min(CHECK_MS, ms / 2)).unref();
  return () => clearInterval(timer);
}

/** Ends a response that is not whole. In HTTP/1.0, an orderly end of the connection is the end of the body. */
export function cutOff(response: ServerResponse): void {
  if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
  response.destroy();
}

function mayHaveBody({ headers }: RequestContext['request']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
