import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import { type Blob, type ManifestFile, storedAt } from '../../../pipeline/release/format/manifest.ts';
import { Problem } from '../../api/problem.ts';
import type { Answer } from '../request/answer.ts';
import type { Asked } from '../services.ts';
import { chooseEncoding, type Encoding } from './accept-encoding.ts';
import { type ByteRange, parseByteRange } from './byte-range.ts';
import { openFileBody } from './file-body.ts';
import { evaluate, rangeApplies } from './preconditions.ts';
import type { ServedRelease } from './releases.ts';
import { type Representation, representationHeaders } from './representation.ts';
import { MAX_SMALL_BYTES } from './small-files.ts';

const ENDINGS: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

/** What a request asks of a file of the release: whole, in part, or that the client has it. Throws a Problem. */
export function prepareFile(
  request: Asked,
  release: ServedRelease,
  file: ManifestFile,
): Answer | Promise<Answer> {
  const available = Object.keys(file.encodings) as Encoding[];
  // A range is of the file as it is: nobody wants the middle of compressed bytes.
  const encoding = request.headers.range
    ? null
    : chooseEncoding(one(request.headers['accept-encoding']), available);
  return prepare(request, representationOf(release, file, encoding));
}

/** Answers with a representation, as the request's conditions and range want it. Throws a Problem. */
export function prepare(
  { method, headers: asked }: Asked,
  representation: Representation,
): Answer | Promise<Answer> {
  const { headers, bytes } = representation;
  const verdict = evaluate(asked, representation);
  if (verdict === 'not_modified') {
    const { 'Content-Length': _, 'Content-Encoding': __, 'Content-Type': ___, ...kept } = headers;
    return { status: 304, headers: kept, body: null };
  }
  if (verdict === 'failed')
    throw new Problem('precondition_failed', 'The file has changed, or is another one.');
  const range = rangeOf(method, asked, representation);
  if (range === 'unsatisfiable') {
    const size = { 'Content-Range': `bytes */${bytes}` };
    throw new Problem('range_not_satisfiable', `The file has ${bytes} bytes.`, size);
  }
  if (range === 'whole')
    return method === 'HEAD'
      ? { status: 200, headers, body: null }
      : withBody(200, headers, representation, null);
  const { first, last } = range;
  const part = {
    ...headers,
    'Content-Length': String(last - first + 1),
    'Content-Range': `bytes ${first}-${last}/${bytes}`,
  };
  return withBody(206, part, representation, range);
}

/** At once where the bytes are in memory: a promise for each small file would cost as much as all the rest. */
function withBody(
  status: number,
  headers: Answer['headers'],
  { read }: Representation,
  range: ByteRange | null,
): Answer | Promise<Answer> {
  const body = read(range);
  return Buffer.isBuffer(body)
    ? { status, headers, body }
    : body.then((opened) => ({ status, headers, body: opened }));
}

/** Made once for each file and encoding of a release. */
function representationOf(
  release: ServedRelease,
  file: ManifestFile,
  encoding: Encoding | null,
): Representation {
  const key = `${file.path} ${encoding}`;
  let known = release.representations.get(key);
  if (!known) {
    known = describe(release, file, encoding);
    release.representations.set(key, known);
  }
  return known;
}

function describe(release: ServedRelease, file: ManifestFile, encoding: Encoding | null): Representation {
  const blob: Blob = encoding ? file.encodings[encoding]! : file;
  const place = join(release.dir, storedAt(file)) + (encoding ? ENDINGS[encoding] : '');
  const modified = Math.floor(Date.parse(file.modified) / 1000) * 1000;
  const varies = Object.keys(file.encodings).length > 0;
  const validators = { etag: `"${blob.sha256}"`, modified, bytes: blob.bytes };
  const headers = representationHeaders(headersFor(file), validators, { encoding, varies });
  const read =
    blob.bytes <= MAX_SMALL_BYTES
      ? (range: ByteRange | null) => readSmall(release, place, blob, range)
      : (range: ByteRange | null) => openFileBody(place, blob.bytes, range);
  return { headers, ...validators, read };
}

function readSmall(
  release: ServedRelease,
  place: string,
  blob: Blob,
  range: ByteRange | null,
): Buffer | Promise<Buffer> {
  const whole = release.small.read(place, blob);
  if (range === null) return whole;
  const { first, last } = range;
  return Promise.resolve(whole).then((bytes) => bytes.subarray(first, last + 1));
}

function rangeOf(
  method: string | undefined,
  headers: IncomingMessage['headers'],
  representation: Representation,
): ReturnType<typeof parseByteRange> {
  const ifRange = headers['if-range'] as string | undefined;
  const applies = method === 'GET' && rangeApplies(ifRange, representation);
  return applies ? parseByteRange(headers.range, representation.bytes) : 'whole';
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
