/**
 * `head.ndjson` holds the events after the last snapshot, one line each, appended as they come.
 *
 * - A last line without a line end is still being written and does not count.
 * - Sealing writes a snapshot of the events before the slot's end, checkpoint last, and then atomically replaces the head by the
 *   later events. In between, or permanently if the sealer was killed, the head begins with events that are in a snapshot.
 *   Readers skip those before their position.
 * - If the head begins after a reader's position, a snapshot was sealed meanwhile. The reader reads that first.
 * - Nothing here is signed: results from the head are provisional until a checkpoint covers it.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { type CathedralError, errorOf } from '../../errors.ts';
import { type LedgerEvent, MAX_LINE_BYTES } from '../events/event.ts';
import { parseEventLine } from '../events/event-line.ts';
import type { Leaf, LedgerPosition } from '../log/leaf.ts';
import { leafHash } from '../log/merkle.ts';
import type { LedgerDirectory } from './directory.ts';
import { EventReader } from './event-reader.ts';
import { splitLines } from './read-lines.ts';

const LINE_END = 0x0a;
const CHUNK_BYTES = 256 * 1024;

/** Where in the file reading stopped. */
export interface HeadCursor {
  /** Leaf hash of the file's first line. A different one means that the file was replaced. */
  first: string;
  /** Bytes of complete lines before this place. */
  offset: number;
  /** Sequence number of the event at `offset`. */
  size: number;
}

export interface HeadEnd {
  /** The position after all complete lines. `snapshot` stays that of the given position. */
  position: LedgerPosition;
  /** For the next call; null if the head has no line yet. */
  cursor: HeadCursor | null;
  /** Nothing was read, because the head begins after the given position: read the later snapshot first. */
  behind: boolean;
}

/**
 * Yields the events of the head from `position` on, verified like those of a snapshot except for the signature. With `cursor`, the
 * result of the last call, reads only what is new.
 * Throws `ledger_unreadable`, `ledger_corrupt`, `ledger_order` or `ledger_schema`.
 */
export async function* readHead(
  ledger: LedgerDirectory,
  position: LedgerPosition,
  cursor: HeadCursor | null = null,
): AsyncGenerator<Leaf[], HeadEnd> {
  await using file = await openHead(ledger.head);
  const start = file && (await findEvent(file, position.size, cursor));
  if (!start || start.covered < 0 || start.offset === null)
    return { position, cursor: null, behind: start != null && start.covered < 0 };
  const { first, covered } = start;
  let { offset } = start;
  const { size: bytes } = await file.stat();
  if (offset > bytes)
    throw errorOf('ledger_corrupt')(placeOf(covered), `${offset} bytes, as before`, `${bytes}`);
  const reader = new EventReader(position, placeOf, covered);
  for await (const lines of splitLines(chunksOf(file, offset, bytes), placeOf, { before: covered })) {
    yield reader.read(lines);
    offset += bytesOf(lines);
  }
  const end = reader.position(position.snapshot);
  return { position: end, cursor: { first, offset, size: end.size }, behind: false };
}

/** The head for reading; undefined if there is none. Throws `ledger_unreadable`. */
export async function openHead(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // Where the ledger is no folder, whoever lists its snapshots names it.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(cause as NodeJS.ErrnoException);
  }
}

/** An event of the head with its line, whose bytes are the event. */
export interface HeadLine {
  event: LedgerEvent;
  line: Buffer;
}

/**
 * Yields the lines of the head from seq `size` on, for a process that knows the head to be valid: each line is valid by itself, and the
 * caller compares it with its predecessor. Throws as `readHead`.
 */
export async function* readHeadLines(ledger: LedgerDirectory, size: number): AsyncGenerator<HeadLine[]> {
  await using file = await openHead(ledger.head);
  if (file) yield* readOpenHeadLines(file, size);
}

/** The same of a head that was opened before, and may have been replaced since. Returns whether it has as many events as come before `size`. */
export async function* readOpenHeadLines(
  file: FileHandle,
  size: number,
): AsyncGenerator<HeadLine[], boolean> {
  const start = await findEvent(file, size, null);
  if (start?.offset == null) return false;
  const before = Math.max(start.covered, 0);
  let number = before;
  for await (const lines of splitLines(chunksOf(file, start.offset), placeOf, { before }))
    yield lines.map((line) => {
      number += 1;
      return { event: parseEventLine(line, () => placeOf(number)), line };
    });
  return true;
}

/**
 * Where the event `size` is in the head: after `covered` lines, or before the first one if that is negative, and at `offset`, which is
 * null if there are fewer lines. Null if there is no complete line.
 */
async function findEvent(
  file: FileHandle,
  size: number,
  cursor: HeadCursor | null,
): Promise<{ first: string; covered: number; offset: number | null } | null> {
  const line = await readFirstLine(file);
  if (!line) return null;
  const first = leafHash(line);
  const covered = size - parseEventLine(line, () => placeOf(1)).seq;
  const isKnown = cursor?.first === first && cursor.size === size;
  return { first, covered, offset: isKnown ? cursor.offset : await offsetAfter(file, Math.max(covered, 0)) };
}

/** The ends of the head, for its writer. */
export interface HeadEnds {
  first: LedgerEvent;
  last: LedgerEvent;
  /** Of all complete lines. */
  bytes: number;
}

/** Reads the first and the last line; null if there is no complete one. Throws as `readHead`. */
export async function readHeadEnds(ledger: LedgerDirectory): Promise<HeadEnds | null> {
  await using file = await openHead(ledger.head);
  const firstLine = file && (await readFirstLine(file));
  if (!firstLine) return null;
  const { size: bytes } = await file.stat();
  // The last line and a following incomplete one, each of at most this length, with the line end before them.
  const start = Math.max(0, bytes - 2 * (MAX_LINE_BYTES + 1) - 1);
  const tail = Buffer.concat(await Array.fromAsync(chunksOf(file, start, bytes)));
  const end = tail.lastIndexOf(LINE_END);
  const begin = end > 0 ? tail.lastIndexOf(LINE_END, end - 1) + 1 : 0;
  const first = parseEventLine(firstLine, () => placeOf(1));
  const last = parseEventLine(tail.subarray(begin, Math.max(end, 0)), () => 'head.ndjson, last line');
  return { first, last, bytes: start + end + 1 };
}

/**
 * The complete lines of the head as they are, in batches, without line ends. Throws `ledger_unreadable` or `ledger_corrupt`.
 */
export function readRawLines(file: FileHandle): AsyncGenerator<Buffer[]> {
  return splitLines(chunksOf(file, 0), placeOf);
}

async function readFirstLine(file: FileHandle): Promise<Buffer | undefined> {
  for await (const [line] of splitLines(chunksOf(file, 0, 1 + MAX_LINE_BYTES), placeOf)) return line;
  return undefined;
}

/** The offset after that many lines; null if there are fewer. */
async function offsetAfter(file: FileHandle, count: number): Promise<number | null> {
  let [left, offset] = [count, 0];
  if (left === 0) return 0;
  for await (const lines of readRawLines(file)) {
    offset += bytesOf(lines.slice(0, left));
    left -= lines.length;
    if (left <= 0) return offset;
  }
  return null;
}

/** Number of bytes of lines with their line ends. */
function bytesOf(lines: readonly Buffer[]): number {
  return lines.reduce((sum, { length }) => sum + length + 1, 0);
}

/** The file's bytes in [start, end), as far as they exist. Leaves a pending write beyond `end` for the next call. */
async function* chunksOf(
  file: FileHandle,
  start: number,
  end = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Buffer> {
  const { size } = await file.stat();
  // No larger than what is there: most heads are short, and the collector takes longer over large buffers than reading does. A folder
  // may have no size, and has to fail.
  const last = Math.min(end, Math.max(size, start + 1));
  for (let at = start; at < last; ) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, last - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at).catch((cause) => {
      throw unreadable(cause);
    });
    if (bytesRead === 0) return;
    yield chunk.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** The error for a head that begins behind the snapshots, which end at `size`: events are missing. */
export function gapBeforeHead(size: number, found: string): CathedralError {
  const expected = `seq ${size}, where the snapshots end, or before`;
  return errorOf('ledger_order')(placeOf(1), expected, found);
}

function placeOf(line: number): string {
  return `head.ndjson:${line}`;
}

function unreadable(cause: NodeJS.ErrnoException): CathedralError {
  const found = cause.code ?? String(cause);
  return errorOf('ledger_unreadable')('head.ndjson', 'a readable file', found, cause);
}
