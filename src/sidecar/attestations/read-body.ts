import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../../api/problem.ts';
import { onUnreadable } from '../request/pipelining.ts';

export interface BodyLimits {
  /** Longer bodies are refused. */
  maxBytes: number;
  /** Time for the whole body to arrive. */
  timeoutMs: number;
}

const MEDIA_TYPE = 'application/json';
const JSON_TYPE = /^application\/json *(?:; *charset=(?:utf-8|"utf-8") *)?$/i;
/**
 * How much of a too long body is read and discarded: a client that is still sending when the connection closes may never see
 * the answer.
 */
const MAX_PASSED_OVER_BYTES = 1_048_576;

/**
 * Reads the body of a JSON request into memory. Throws a Problem: unsupported_media_type, content_too_large, request_timeout,
 * or bad_request if the client stops in the middle.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<Buffer> {
  assertJson(request);
  const { 'content-length': length = '0', expect } = request.headers;
  if (Number(length) > MAX_PASSED_OVER_BYTES) throw tooLarge(limits);
  if (expect !== undefined && Number(length) > limits.maxBytes) throw tooLarge(limits);
  if (/^100-continue$/i.test(expect ?? '')) response.writeContinue();
  const body = await collect(request, limits);
  if (body === null) throw tooLarge(limits);
  return body;
}

function assertJson({ headers }: IncomingMessage): void {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  if (encoding.toLowerCase() !== 'identity')
    throw new Problem('unsupported_media_type', 'Send the document uncompressed.', {
      'Accept-Encoding': 'identity',
    });
  if (JSON_TYPE.test(type)) return;
  const found = type === '' ? 'no Content-Type' : JSON.stringify(type.slice(0, 100));
  throw new Problem('unsupported_media_type', `Send the document as ${MEDIA_TYPE}; found ${found}.`, {
    'Accept-Post': MEDIA_TYPE,
  });
}

/** Null if the body is too long. */
function collect(request: IncomingMessage, { maxBytes, timeoutMs }: BodyLimits): Promise<Buffer | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | null>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > MAX_PASSED_OVER_BYTES) resolve(null);
  };
  const refuse = (problem: Problem) => () => reject(problem);
  const slow = new Problem('request_timeout', `The body did not arrive within ${timeoutMs / 1000} s.`);
  const timer = setTimeout(refuse(slow), timeoutMs);
  request.on('data', take);
  request.once('end', () => resolve(bytes > maxBytes ? null : Buffer.concat(chunks)));
  // Also emitted for a broken connection, when nobody is left to read the answer.
  request.once('close', refuse(new Problem('bad_request', 'The body is incomplete.')));
  const unreadable = refuse(new Problem('bad_request', 'The body cannot be read.'));
  request.on('error', unreadable);
  onUnreadable(request, unreadable);
  return promise.finally(() => {
    clearTimeout(timer);
    request.off('data', take);
  });
}

function tooLarge({ maxBytes }: BodyLimits): Problem {
  return new Problem('content_too_large', `The document may have at most ${maxBytes} bytes.`);
}
