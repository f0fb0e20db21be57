import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { headersFor } from '../../pipeline/publish/headers.ts';
import { type Blob, type ManifestFile, storedAt } from '../../pipeline/publish/manifest.ts';
import { chooseEncoding, type Encoding } from './accept-encoding.ts';
import { type ByteRange, parseByteRange } from './byte-range.ts';
import { evaluate, rangeApplies, type Validators } from './preconditions.ts';
import { Problem } from './problem.ts';

const ENDINGS: Record<Encoding, string> = { br: '.br', gzip: '.gz' };
/** Headers that a script of another site may read besides the few that it always may. */
const EXPOSED = 'Accept-Ranges, Content-Encoding, Content-Range, ETag, Retry-After';

/** The bytes that stand for the file in this answer; each encoding has an entity tag of its own (RFC 9110 §8.8.3.3). */
interface Representation extends Validators {
  place: string;
  bytes: number;
  encoding: Encoding | null;
}

/** Answers with a file of the release in `dir`: whole, in part, or that the client has it. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  dir: string,
  file: ManifestFile,
): Promise<FastifyReply> {
  const representation = choose(request, dir, file);
  reply.headers(headersOf(file, representation));
  const verdict = evaluate(request.headers, representation);
  if (verdict === 'not_modified') return reply.code(304).send();
  if (verdict === 'failed')
    throw new Problem('precondition_failed', 'The file has changed, or is another one.');

  const range = rangeOf(request, representation);
  if (range === 'unsatisfiable') {
    const size = { 'Content-Range': `bytes */${representation.bytes}` };
    throw new Problem('range_not_satisfiable', `The file has ${representation.bytes} bytes.`, size);
  }
  if (representation.encoding) reply.header('Content-Encoding', representation.encoding);
  return sendBytes(request, reply, representation, range);
}

/** A range is of the file as it is: nobody wants the middle of compressed bytes. */
function choose({ headers }: FastifyRequest, dir: string, file: ManifestFile): Representation {
  const available = Object.keys(file.encodings) as Encoding[];
  const encoding = headers.range ? null : chooseEncoding(acceptEncoding(headers), available);
  const { bytes, sha256 }: Blob = encoding ? file.encodings[encoding]! : file;
  const place = join(dir, storedAt(file)) + (encoding ? ENDINGS[encoding] : '');
  const modified = Math.floor(Date.parse(file.modified) / 1000) * 1000;
  return { place, bytes, encoding, etag: `"${sha256}"`, modified };
}

function acceptEncoding(headers: FastifyRequest['headers']): string | undefined {
  const header = headers['accept-encoding'];
  return Array.isArray(header) ? header.join(',') : header;
}

function headersOf(file: ManifestFile, { etag, modified }: Representation): Record<string, string> {
  const headers = headersFor(file);
  return {
    ...headers,
    ETag: etag,
    'Last-Modified': new Date(modified).toUTCString(),
    'Accept-Ranges': 'bytes',
    ...(Object.keys(file.encodings).length > 0 && { Vary: 'Accept-Encoding' }),
    ...('Access-Control-Allow-Origin' in headers && { 'Access-Control-Expose-Headers': EXPOSED }),
  };
}

function rangeOf(
  { method, headers }: FastifyRequest,
  representation: Representation,
): ReturnType<typeof parseByteRange> {
  const ifRange = headers['if-range'] as string | undefined;
  const applies = method === 'GET' && rangeApplies(ifRange, representation);
  return applies ? parseByteRange(headers.range, representation.bytes) : 'whole';
}

/** A page that stands for something else than itself: whole, and not to be asked for again by its validators. */
export async function sendPage(reply: FastifyReply, dir: string, file: ManifestFile): Promise<FastifyReply> {
  return reply.type(file.media_type).send(await readFile(join(dir, storedAt(file))));
}

async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { place, bytes }: Representation,
  range: ByteRange | 'whole',
): Promise<FastifyReply> {
  const { first, last } = range === 'whole' ? { first: 0, last: bytes - 1 } : range;
  reply.header('Content-Length', last - first + 1);
  if (range !== 'whole') reply.code(206).header('Content-Range', `bytes ${first}-${last}/${bytes}`);
  if (request.method === 'HEAD') return reply.send();
  // Opened before the first byte leaves: what is missing or cut off is an error then, not half an answer.
  const handle = await open(place);
  const { size } = await handle.stat();
  if (size !== bytes) {
    await handle.close();
    throw new Error(`${place}: expected ${bytes} bytes, found ${size}`);
  }
  if (bytes === 0) {
    await handle.close();
    return reply.send('');
  }
  return reply.send(handle.createReadStream({ start: first, end: last }));
}
