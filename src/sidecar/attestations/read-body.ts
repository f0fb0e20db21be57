import type { IncomingMessage, ServerResponse } from 'node:http';
import { Problem } from '../../api/problem.ts';

export interface BodyLimits {
  /** Longer ones are refused. */
  maxBytes: number;
  /** For all of it to arrive. */
  timeoutMs: number;
}

const MEDIA_TYPE = 'application/json';
const JSON_TYPE = /^application\/json *(?:; *charset=(?:utf-8|"utf-8") *)?$/i;
/**
 * What is read, and thrown away, of a body that is too long: a client that is still sending when the connection is closed
 * may never get to see why.
 */
const MAX_PASSED_OVER_BYTES = 1_048_576;

/**
 * The body of a request that says it is JSON, whole and in memory. Throws a Problem: unsupported_media_type,
 * content_too_large, request_timeout, and bad_request where the client ends in the middle.
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

/** Null for a body that is too long. */
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
  const slow = new Problem('request_timeout', `The body was not there within ${timeoutMs / 1000} s.`);
  const timer = setTimeout(refuse(slow), timeoutMs);
  request.on('data', take);
  request.once('end', () => resolve(bytes > maxBytes ? null : Buffer.concat(chunks)));
  // Also of a connection that breaks off; nobody is there any more to be told.
  request.once('close', refuse(new Problem('bad_request', 'The body ended before its end.')));
  request.on('error', refuse(new Problem('bad_request', 'The body cannot be read.')));
  return promise.finally(() => {
    clearTimeout(timer);
    request.off('data', take);
  });
}

function tooLarge({ maxBytes }: BodyLimits): Problem {
  return new Problem('content_too_large', `The document may have at most ${maxBytes} bytes.`);
}
