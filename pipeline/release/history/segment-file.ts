import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import { type Blob, type Segment, sha256 } from '../format/manifest.ts';
import { damageError, type StagingFolder } from '../staging/staging-folder.ts';
import { parseRowEvents } from './row-events.ts';

/** The content of a segment's file. */
export interface SealedRows {
  /** Path of the artifact. Row numbers name the file: `segments/<path>/0-20240.part`. */
  path: string;
  first_row: number;
  end_row: number;
  from: string;
  to: string;
  bytes: Uint8Array;
  /** The events of the rows, as text; null if they are not kept. */
  events: string | null;
}

/** Writes a segment and what is kept about its rows. Hashes in the thread pool, so the fold continues meanwhile. */
export async function writeSegment(folder: StagingFolder, rows: SealedRows): Promise<Segment> {
  const { path, first_row, end_row, from, to, bytes, events: links } = rows;
  const file = `segments/${path}/${first_row}-${end_row}.part`;
  const [blob, events] = await Promise.all([
    folder.write(file, bytes),
    links === null ? null : folder.write(`${file}.events`, Buffer.from(links)),
  ]);
  return {
    file,
    first_row,
    end_row,
    ...blob,
    crc32: crc32(bytes),
    ...(events && { events }),
    from,
    to,
  };
}

/** Reads and verifies a segment of a published release. Throws release_invalid. */
export async function readSegment(dir: string, { file, sha256 }: Segment): Promise<Buffer> {
  return readChecked(join(dir, file), sha256);
}

/** A line of events for each row of a segment, newest first; null if they are not kept. Throws release_invalid. */
export async function readRowEvents(dir: string, segment: Segment): Promise<string[] | null> {
  const { file, events, first_row, end_row } = segment;
  if (!events) return null;
  const place = join(dir, `${file}.events`);
  return parseRowEvents((await readChecked(place, events.sha256)).toString(), end_row - first_row, place);
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

/** Links a segment, and gives it as the new release lists it. Throws release_invalid if it is missing or damaged. */
export async function linkSegment(
  folder: StagingFolder,
  from: string,
  { deflate: _, cycles: __, ...segment }: Segment,
): Promise<Segment> {
  const { file, bytes, sha256, events } = segment;
  const files = [{ file, bytes, sha256 }, ...(events ? [{ file: `${file}.events`, ...events }] : [])];
  if (!(await folder.link(from, files))) throw await damageError(from, files);
  return segment;
}
