import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../api/problem.ts';
import { type Answer, EXPOSED_HEADERS } from '../request/answer.ts';
import { type ByteRange, type FileSource, openFileBody } from './file-body.ts';

/** The parts of a request that decide how a resource is sent. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'headers'>;
type RequestHeaders = RequestHead['headers'];

export type Encoding = 'br' | 'gzip';

/** Bytes in one encoding. */
export interface Content {
  /** In hex: the entity tag without its quotes. */
  sha256: string;
  bytes: number;
  /** In memory, read into memory on request, or streamed from a file. */
  source: Buffer | (() => Buffer | Promise<Buffer>) | FileSource;
}

export function contentOf(bytes: Buffer): Content {
  return { sha256: hash('sha256', bytes), bytes: bytes.length, source: bytes };
}

export interface ResourceOptions {
  /** The headers that do not depend on the encoding. */
  headers: Readonly<Record<string, string>>;
  /** When the content last changed, in any form that Date takes; null where no release says it, and servers would differ. */
  modified: string | number | null;
  /** Encodings that the content is available in, besides identity. */
  encodings?: readonly Encoding[];
  /** Whether there are more, which are made when they are asked for. */
  varies?: boolean;
  /** Called once for each encoding, when it is first requested; null stands for identity. */
  content: (encoding: Encoding | null) => Content;
}

/** What a client would receive: a resource in one encoding (RFC 9110 §3.2). */
export interface Representation extends Validators {
  /** Of a 200 answer. Always the same object, so the headers of a file are formatted once. */
  headers: Readonly<Record<string, string>>;
  content: Content;
}

/** What an address stands for: a file of the release, a live document, a log tile, a chart in some state. */
export class Resource {
  readonly #options: ResourceOptions;
  readonly #representations = new Map<Encoding | null, Representation>();

  constructor(options: ResourceOptions) {
    this.#options = options;
  }

  get encodings(): readonly Encoding[] {
    return this.#options.encodings ?? [];
  }

  in(encoding: Encoding | null): Representation {
    let known = this.#representations.get(encoding);
    if (!known) {
      known = describe(this.#options, encoding);
      this.#representations.set(encoding, known);
    }
    return known;
  }

  /** All bytes of a resource that is not streamed, unencoded. */
  async read(): Promise<Buffer> {
    return (await bodyOf(this.in(null).content, null)) as Buffer;
  }
}

/** Bytes in memory, and what they are in other encodings, for instance because they were rendered for this address. */
export function resourceInMemory(
  about: Pick<ResourceOptions, 'headers' | 'modified'>,
  plain: Buffer,
  encoded: Partial<Record<Encoding, Buffer>> = {},
): Resource {
  const encodings = PREFERRED.filter((encoding) => encoded[encoding]);
  const content = (encoding: Encoding | null) => contentOf(encoding ? encoded[encoding]! : plain);
  return new Resource({ ...about, encodings, content });
}

/**
 * Answers with a resource: in the encoding that the client prefers, only if its conditions hold, and only the range it asks
 * for. This is the only way to an answer with an entity tag. Throws a Problem precondition_failed or range_not_satisfiable.
 */
export function answerWith(request: RequestHead, resource: Resource): Answer | Promise<Answer> {
  const representation = representationOf(resource, request.headers);
  const { headers, content } = representation;
  const outcome = evaluateConditions(request.headers, representation);
  if (outcome === 'not_modified') return { status: 304, headers: withoutContentHeaders(headers), body: null };
  if (outcome === 'failed') throw new Problem('precondition_failed');
  const range = rangeOf(request, representation);
  if (range === 'unsatisfiable') {
    const size = { 'Content-Range': `bytes */${content.bytes}` };
    throw new Problem('range_not_satisfiable', `The file has ${content.bytes} bytes.`, size);
  }
  if (range !== 'whole') return partialAnswer(representation, range);
  if (request.method === 'HEAD') return { status: 200, headers, body: null };
  return withBody(200, headers, bodyOf(content, null));
}

/** The representation that a request's headers select. */
export function representationOf(resource: Resource, headers: RequestHeaders): Representation {
  return resource.in(encodingFor(headers, resource.encodings));
}

/** The encoding that a request's headers select, out of those available; none for a range, which counts the bytes of the unencoded content. */
export function encodingFor(headers: RequestHeaders, available: readonly Encoding[]): Encoding | null {
  const accepted = headers['accept-encoding'] as string | string[] | undefined;
  const list = Array.isArray(accepted) ? accepted.join(',') : accepted;
  return headers.range ? null : chooseEncoding(list, available);
}

function describe(
  { headers, modified, encodings = [], varies = encodings.length > 0, content }: ResourceOptions,
  encoding: Encoding | null,
) {
  const found = content(encoding);
  const etag = `"${found.sha256}"`;
  const seconds = modified === null ? null : Math.floor(new Date(modified).getTime() / 1000) * 1000;
  const all = {
    ...headers,
    ETag: etag,
    ...(seconds !== null && { 'Last-Modified': new Date(seconds).toUTCString() }),
    'Accept-Ranges': 'bytes',
    'Content-Length': String(found.bytes),
    ...(encoding && { 'Content-Encoding': encoding }),
    ...(varies && { Vary: 'Accept-Encoding' }),
    ...('Access-Control-Allow-Origin' in headers && { 'Access-Control-Expose-Headers': EXPOSED_HEADERS }),
  };
  return { headers: all, etag, modified: seconds, content: found };
}

function withoutContentHeaders(headers: Representation['headers']): Answer['headers'] {
  const { 'Content-Length': _, 'Content-Encoding': __, 'Content-Type': ___, ...kept } = headers;
  return kept;
}

function partialAnswer({ headers, content }: Representation, range: ByteRange): Answer | Promise<Answer> {
  const { first, last } = range;
  const part = {
    ...headers,
    'Content-Length': String(last - first + 1),
    'Content-Range': `bytes ${first}-${last}/${content.bytes}`,
  };
  return withBody(206, part, bodyOf(content, range));
}

type Body = NonNullable<Answer['body']>;

/** Synchronous for bytes in memory: a promise for each small file would cost as much as everything else. */
function withBody(
  status: number,
  headers: Answer['headers'],
  body: Body | Promise<Body>,
): Answer | Promise<Answer> {
  return body instanceof Promise
    ? body.then((opened) => ({ status, headers, body: opened }))
    : { status, headers, body };
}

function bodyOf({ bytes, source }: Content, range: ByteRange | null): Body | Promise<Body> {
  if (!Buffer.isBuffer(source) && typeof source !== 'function') return openFileBody(source, bytes, range);
  const whole = Buffer.isBuffer(source) ? source : source();
  if (range === null) return whole;
  const cut = (all: Buffer) => all.subarray(range.first, range.last + 1);
  return Buffer.isBuffer(whole) ? cut(whole) : whole.then(cut);
}

/** Smaller first. */
const PREFERRED: readonly Encoding[] = ['br', 'gzip'];

/**
 * The encoding to send, out of those available; null for identity. Among equal weights the smaller one wins
 * (RFC 9110 §12.5.3). Identity is never refused, since it is acceptable unless it is mentioned.
 */
function chooseEncoding(header: string | undefined, available: readonly Encoding[]): Encoding | null {
  if (header === undefined) return null;
  const weights = parseWeights(header);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const identity = weights.get('identity') ?? 0;
  let best: Encoding | null = null;
  for (const encoding of PREFERRED) {
    if (!available.includes(encoding) || weightOf(encoding) < identity || weightOf(encoding) === 0) continue;
    if (best === null || weightOf(encoding) > weightOf(best)) best = encoding;
  }
  return best;
}

/** `gzip;q=0.5, br` → gzip 0.5, br 1. Malformed items are ignored. */
function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [, name, q] = /^\s*([\w*-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(item) ?? [];
    if (name !== undefined) weights.set(name === 'x-gzip' ? 'gzip' : name, Math.min(1, Number(q ?? 1)));
  }
  return weights;
}

/** What conditions compare with. */
interface Validators {
  /** A strong entity tag with its quotes: `"5e88…"`. */
  etag: string;
  /** Whole seconds, as in Last-Modified; Unix ms. Null: conditions with a date are ignored, as RFC 9110 has it. */
  modified: number | null;
}

/** Whether to send the content, in the order of RFC 9110 §13.2.2. */
function evaluateConditions(
  headers: RequestHeaders,
  { etag, modified }: Validators,
): 'send' | 'not_modified' | 'failed' {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!listsTag(ifMatch, etag)) return 'failed';
  } else if (modified !== null && modified > dateOf(headers['if-unmodified-since'], Infinity))
    return 'failed';

  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined)
    return [etag, `W/${etag}`, ...compressedTags(etag)].some((tag) => listsTag(ifNoneMatch, tag))
      ? 'not_modified'
      : 'send';
  const isKnown = modified !== null && modified <= dateOf(headers['if-modified-since'], -Infinity);
  return isKnown ? 'not_modified' : 'send';
}

/** What Apache makes of a tag when it compresses a response, and passes back unchanged (DeflateAlterETag, BrotliAlterETag). */
function compressedTags(etag: string): string[] {
  return ['gzip', 'br'].flatMap((coding) =>
    [etag, `W/${etag}`].map((tag) => tag.replace(/"$/, `-${coding}"`)),
  );
}

function listsTag(list: string, etag: string): boolean {
  return list.split(',').some((item) => item.trim() === '*' || item.trim() === etag);
}

/** The three forms of a date in HTTP (RFC 9110 §5.6.7): the usual one, that of RFC 850, and that of asctime, which names no zone. */
const HTTP_DATE =
  /^(?:\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d\d-\w{3}-\d\d [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/;

/** Any other date is ignored (RFC 9110 §13.1.3). */
function dateOf(header: string | undefined, otherwise: number): number {
  const [date] = HTTP_DATE.exec(header?.trim() ?? '') ?? [];
  const ms = date === undefined ? NaN : Date.parse(date.endsWith('GMT') ? date : `${date} GMT`);
  return Number.isNaN(ms) ? otherwise : ms;
}

function rangeOf(
  { method, headers }: RequestHead,
  representation: Representation,
): ReturnType<typeof parseByteRange> {
  const ifRange = headers['if-range'] as string | undefined;
  if (method !== 'GET' || !rangeApplies(ifRange, representation)) return 'whole';
  return parseByteRange(headers.range, representation.content.bytes);
}

/** Whether the part that the client already has is part of these bytes (RFC 9110 §13.1.5). */
function rangeApplies(ifRange: string | undefined, { etag, modified }: Validators): boolean {
  if (ifRange === undefined) return true;
  return ifRange.includes('"') ? ifRange.trim() === etag : dateOf(ifRange, NaN) === modified;
}

/**
 * `bytes=0-99`, `bytes=100-`, `bytes=-100` of `size` bytes (RFC 9110 §14). `whole` for what a server may ignore: no header,
 * another unit, several ranges, a malformed one. `unsatisfiable` if there are no such bytes.
 */
function parseByteRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'whole';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return 'whole';
  if (first >= size) return 'unsatisfiable';
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
