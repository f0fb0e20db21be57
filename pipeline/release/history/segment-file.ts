import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import { type Blob, type Segment, sha256 } from '../format/manifest.ts';
import type { StagingFolder } from '../staging/staging-folder.ts';
import { type CycleRun, parseCycleRuns } from './cycle-runs.ts';

const deflate = promisify(deflateRaw);

/** What a segment's file is written from. */
export interface SealedRows {
  /** Of the artifact; the file is named by rows: `segments/<path>/0-20240.part`. */
  path: string;
  first_row: number;
  end_row: number;
  from: string;
  to: string;
  bytes: Uint8Array;
  /** Whether the history will be put together, which takes the deflate block. */
  compressed: boolean;
  /** Of which cycle the rows are, as text; null where that is not kept. */
  cycles: string | null;
}

/**
 * Writes a segment and its deflate block. Hashing and compressing are in the thread pool: the fold goes on
 * meanwhile.
 */
export async function writeSegment(folder: StagingFolder, rows: SealedRows): Promise<Segment> {
  const { path, first_row, end_row, from, to, bytes, cycles: runs } = rows;
  const file = `segments/${path}/${first_row}-${end_row}.part`;
  const [blob, block, cycles] = await Promise.all([
    folder.write(file, bytes),
    rows.compressed ? writeBlock(folder, `${file}.deflate`, bytes) : null,
    runs === null ? null : folder.write(`${file}.cycles`, Buffer.from(runs)),
  ]);
  return { file, first_row, end_row, ...blob, crc32: crc32(bytes), deflate: block, cycles, from, to };
}

/**
 * Deflate that ends on a byte without a last block, and refers to nothing before itself: it stands anywhere
 * in a stream.
 */
async function writeBlock(folder: StagingFolder, file: string, bytes: Uint8Array) {
  const block = await deflate(bytes, { level: 6, finishFlush: constants.Z_FULL_FLUSH });
  return { ...(await folder.write(file, block)), crc32: crc32(block) };
}

/** The bytes of a segment of a published release, checked. Throws release_invalid. */
export async function readSegment(dir: string, { file, sha256 }: Segment): Promise<Buffer> {
  return readChecked(join(dir, file), sha256);
}

/** Of which cycle the rows of a segment are, newest first; null where that is not kept. Throws release_invalid. */
export async function readCycles(dir: string, { file, cycles, bytes }: Segment): Promise<CycleRun[] | null> {
  if (cycles === null) return null;
  const place = join(dir, `${file}.cycles`);
  return parseCycleRuns((await readChecked(place, cycles.sha256)).toString(), bytes, place);
}

async function readChecked(place: string, expected: Blob['sha256']): Promise<Buffer> {
  const bytes = await readFile(place).catch((cause: Error) => {
    throw new CathedralError('release_invalid', {
      place,
      expected: 'a segment',
      found: cause.message,
      cause,
    });
  });
  const found = sha256(bytes);
  if (found === expected) return bytes;
  throw new CathedralError('release_invalid', { place, expected: `SHA-256 ${expected}`, found });
}

/** Takes a segment over as it is. Throws release_invalid where it is not there with its size. */
export async function linkSegment(folder: StagingFolder, from: string, segment: Segment): Promise<void> {
  const { file, bytes, deflate, cycles } = segment;
  const files = [
    { file, bytes },
    ...(deflate ? [{ file: `${file}.deflate`, bytes: deflate.bytes }] : []),
    ...(cycles ? [{ file: `${file}.cycles`, bytes: cycles.bytes }] : []),
  ];
  if (await folder.link(from, files)) return;
  const fault = {
    place: join(from, file),
    expected: `a segment of ${bytes} bytes`,
    found: 'none, or of another size',
  };
  throw new CathedralError('release_invalid', fault);
}
