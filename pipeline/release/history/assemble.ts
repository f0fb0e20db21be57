import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HistoryArtifact } from '../../artifacts/artifact.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { compressBrotli } from '../disk/compress.ts';
import { type ManifestFile, type Segment, storedAt } from '../format/manifest.ts';
import type { Staging } from '../staging/staging.ts';
import { concatenate, type Part } from './concatenate.ts';
import { gzipParts } from './gzip-parts.ts';

/**
 * Brotli streams cannot be concatenated. A file above this size gets no Brotli variant, because every run would have to compress
 * all of it.
 */
const LONGEST_BROTLI_BYTES = 4 << 20;

/** The parts of an artifact that a history's files need. */
export interface HistorySource
  extends Pick<HistoryArtifact, 'path' | 'area' | 'restricted' | 'separator' | 'assembled'> {
  mediaType: string;
  as_of?: string | undefined;
}

type Piece = Uint8Array | Segment;

/** Assembles a history by copying bytes: head, segments newest first with separators, tail. */
export async function assemble(
  staging: Staging,
  source: HistorySource,
  segments: readonly Segment[],
  head: string,
  tail: string,
): Promise<void> {
  const { path, area, mediaType, restricted, separator, as_of } = source;
  const kind = 'data' as const;
  const about = { path, kind, area, restricted, media_type: mediaType, immutable: false, as_of };
  const pieces = joined(segments, Buffer.from(head), Buffer.from(separator), Buffer.from(tail));
  const rows = segments[0]?.end_row ?? 0;
  const before = await unchanged(staging, path, segments, pieces);
  const encodings = before && (await staging.link(before));
  if (before && encodings) {
    const { bytes, sha256 } = before;
    staging.record({ ...about, bytes, sha256, rows, encodings });
    return;
  }
  const at = storedAt({ path, restricted });
  const blob = await concatenate(staging.folder, at, pieces);
  staging.record({ ...about, ...blob, rows, encodings: await encode(staging, at, blob.bytes, pieces) });
}

function joined(segments: readonly Segment[], head: Buffer, separator: Buffer, tail: Buffer): Piece[] {
  const between = separator.length > 0 ? [separator] : [];
  const rows = segments.flatMap((segment, index): Piece[] =>
    index === 0 ? [segment] : [...between, segment],
  );
  return [head, ...rows, tail].filter((piece) => !(piece instanceof Uint8Array) || piece.length > 0);
}

async function encode(staging: Staging, at: string, bytes: number, pieces: readonly Piece[]) {
  const { folder } = staging;
  const parts = gzipParts(pieces);
  const gzip = total(parts) < bytes ? await concatenate(folder, `${at}.gz`, parts) : null;
  const brotli =
    bytes <= LONGEST_BROTLI_BYTES ? await compressBrotli(await read(join(folder.dir, at))) : null;
  const br = brotli && brotli.length < bytes ? await folder.write(`${at}.br`, brotli) : null;
  return { ...(br && { br }), ...(gzip && { gzip }) };
}

/** The previous release's file, if it consists of the same pieces. */
async function unchanged(
  staging: Staging,
  path: string,
  segments: readonly Segment[],
  pieces: readonly Piece[],
): Promise<ManifestFile | null> {
  const before = staging.before(path);
  const { previous, reuse } = staging;
  if (!reuse || !previous || !before || before.bytes !== total(pieces)) return null;
  const old = previous.manifest.segments[path] ?? [];
  const same =
    old.length === segments.length && old.every(({ sha256 }, index) => sha256 === segments[index]?.sha256);
  return same && (await hasEnds(join(previous.dir, storedAt(before)), pieces)) ? before : null;
}

/**
 * True if the file exists, begins with the first piece and ends with the last, unless these are segments.
 */
async function hasEnds(path: string, pieces: readonly Piece[]): Promise<boolean> {
  const first = pieces[0];
  const last = pieces.at(-1);
  const head = first instanceof Uint8Array ? first : Buffer.alloc(0);
  const tail = last instanceof Uint8Array ? last : Buffer.alloc(0);
  const found = await readEnds(path, head.length, tail.length, total(pieces)).catch(() => null);
  return found ? found[0].equals(head) && found[1].equals(tail) : false;
}

async function readEnds(path: string, head: number, tail: number, bytes: number): Promise<[Buffer, Buffer]> {
  const handle = await open(path, 'r');
  try {
    const ends: [Buffer, Buffer] = [Buffer.alloc(head), Buffer.alloc(tail)];
    await handle.read(ends[0], 0, head, 0);
    await handle.read(ends[1], 0, tail, bytes - tail);
    return ends;
  } finally {
    await handle.close();
  }
}

function read(path: string): Promise<Buffer> {
  return asDiskErrors(path, () => readFile(path));
}

function total(parts: readonly (Piece | Part)[]): number {
  return parts.reduce((sum, part) => sum + (part instanceof Uint8Array ? part.length : part.bytes), 0);
}
