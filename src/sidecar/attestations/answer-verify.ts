import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { MAX_BYTES } from '../../../pipeline/attestation/limited-json.ts';
import {
  PublishedRegistry,
  type PublishedTrust,
  REGISTRY_PATH,
  trustOf,
} from '../../../pipeline/attestation/published-registry.ts';
import { lookUpStatus } from '../../../pipeline/attestation/registry.ts';
import { verifyAttestation } from '../../../pipeline/attestation/verify-attestation.ts';
import { Problem } from '../../api/problem.ts';
import { readReleaseText, type ServedRelease } from '../files/releases.ts';
import type { Resource } from '../files/representation.ts';
import { enterLoadGate } from '../request/admit.ts';
import { type Answer, EXPOSED_HEADERS, jsonAnswer } from '../request/answer.ts';
import { countAnswer } from '../request/count-and-record.ts';
import { onUnreadable } from '../request/pipelining.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Live, Services } from '../services.ts';

const LIMITS = { maxBytes: MAX_BYTES, timeoutMs: 10_000 };
/** Any path with data: its requests count towards the day's quota. */
const DATA: Answer = { status: 200, headers: {}, body: null };

/** Answers with the verdict on the document in the body. Nothing of the document is stored or logged. Throws a Problem. */
export async function answerVerify(
  context: RequestContext,
  release: ServedRelease | null,
  services: Services,
  now: number,
): Promise<Answer> {
  // Read the body before the load gate, so that a slowly arriving one does not occupy a place.
  const body = await readBody(context.request, context.response, LIMITS);
  context.bodyRead = true;
  enterLoadGate(context, services);
  if (!release) throw new Problem('unavailable');
  const { asOf, ...trust } = await readTrust(release, services.live);
  // Count before verifying, so that a client over its quota causes no work.
  const { more = {} } = await countAnswer(DATA, context, services, now);
  const verdict = verifyAttestation(body, { ...trust, now });
  services.metrics.countVerdict(verdict.status);
  return { ...ownAnswer({ ...verdict, as_of: asOf }), more };
}

/** The answer concerns one document and only the client that sent it. */
function ownAnswer(value: object): Answer {
  const { headers, ...answer } = jsonAnswer(200, value);
  const own = { 'Cache-Control': 'no-store', 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
  return { ...answer, headers: { ...headers, ...own } };
}

/** Answers with the ledger's records of the attestation with that id or UUID, as of `now`, ms. Throws a Problem. */
export async function answerStatus(
  { name, now }: { name: string; now: number },
  release: ServedRelease,
  live: Live | null,
): Promise<Answer> {
  const { registry, asOf } = await readTrust(release, live);
  const found = lookUpStatus(name, registry, now);
  if (!found)
    throw new Problem(
      'not_found',
      'The ledger has no attestation with this id or UUID, or it expired more than 90 days ago.',
    );
  return ownAnswer({ ...found, as_of: asOf });
}

interface KnownTrust extends PublishedTrust {
  /** Time of the newest known event. */
  asOf: string;
}

const READ = new WeakMap<Resource | ServedRelease, Promise<KnownTrust>>();

/**
 * The keys that the service trusts and the attestations in its ledger: as of the newest event if the ledger is followed,
 * otherwise of the release. Throws a Problem unavailable for a release without them.
 */
function readTrust(release: ServedRelease, live: Live | null): Promise<KnownTrust> {
  const newest = live?.resource(REGISTRY_PATH) ?? null;
  const place = newest ?? release;
  const known = READ.get(place);
  if (known) return known;
  const reading = (newest ? newest.read().then(String) : releaseText(release)).then(parse);
  READ.set(place, reading);
  // Do not cache a failure: the next read may succeed.
  reading.catch(() => READ.delete(place));
  return reading;
}

async function releaseText(release: ServedRelease): Promise<string> {
  const text = await readReleaseText(release, REGISTRY_PATH);
  if (text !== null) return text;
  throw new Problem('unavailable', 'This release has no companions.', { 'Retry-After': '300' });
}

function parse(text: string): KnownTrust {
  const file = parseJsonFile(text, PublishedRegistry, REGISTRY_PATH, 'release_invalid');
  return { ...trustOf(file), asOf: file.timestamp };
}

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
  const { 'transfer-encoding': transfer = 'chunked' } = headers;
  if (encoding.toLowerCase() !== 'identity' || transfer.toLowerCase() !== 'chunked')
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
