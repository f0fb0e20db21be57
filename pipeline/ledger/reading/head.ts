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
import { CathedralError, type ErrorCode } from '../../errors.ts';
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
  const file = await openHead(ledger.head);
  if (!file) return { position, cursor: null, behind: false };
  try {
    return yield* readFrom(file, position, cursor);
  } finally {
    await file.close();
  }
}

/** The head for reading; undefined if there is none. Throws `ledger_unreadable`. */
export async function openHead(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(cause as NodeJS.ErrnoException);
  }
}

async function* readFrom(
  file: FileHandle,
  position: LedgerPosition,
  cursor: HeadCursor | null,
): AsyncGenerator<Leaf[], HeadEnd> {
  const { size: bytes } = await file.stat();
  const firstLine = await readFirstLine(file);
  if (!firstLine) return { position, cursor: null, behind: false };
  const first = leafHash(firstLine);
  const covered = position.size - parseEventLine(firstLine, placeOf(1)).seq;
  if (covered < 0) return { position, cursor: null, behind: true };
  const offset =
    cursor?.first === first && cursor.size === position.size ? cursor.offset : await skipLines(file, covered);
  if (offset === undefined) return { position, cursor: null, behind: false };
  if (offset > bytes)
    throw headFault('ledger_corrupt', placeOf(covered), `${offset} bytes, as before`, `${bytes}`);
  const reader = new EventReader(position, placeOf, covered);
  for await (const chunk of chunksOf(file, offset, bytes)) {
    const leaves = reader.push(chunk);
    if (leaves.length > 0) yield leaves;
  }
  const end = { first, offset: bytes - reader.pending, size: reader.size };
  return { position: reader.position(position.snapshot), cursor: end, behind: false };
}

/** An event of the head with its line, whose bytes are the event. */
export interface HeadLine {
  event: LedgerEvent;
  line: Buffer;
}

/**
 * Yields the lines of the head from seq `size` on, for a process that knows the head to be valid: each line is valid by itself, and the
 * caller compares it with its predecessor. With `cursor`, the result of the last call, reads only what is new. Returns null if the head ends
 * before `size`. Throws as `readHead`.
 */
export async function* readHeadLines(
  ledger: LedgerDirectory,
  size: number,
  cursor: HeadCursor | null = null,
): AsyncGenerator<HeadLine[], HeadCursor | null> {
  const file = await openHead(ledger.head);
  if (!file) return null;
  try {
    return yield* readOpenHeadLines(file, size, cursor);
  } finally {
    await file.close();
  }
}

/** The same of a head that was opened before, and may have been replaced since. */
export async function* readOpenHeadLines(
  file: FileHandle,
  size: number,
  cursor: HeadCursor | null,
): AsyncGenerator<HeadLine[], HeadCursor | null> {
  const firstLine = await readFirstLine(file);
  if (!firstLine) return null;
  const first = leafHash(firstLine);
  const covered = Math.max(size - parseEventLine(firstLine, placeOf(1)).seq, 0);
  const isSame = cursor?.first === first && cursor.size === size;
  let offset =
    isSame && cursor.offset <= (await file.stat()).size ? cursor.offset : await skipLines(file, covered);
  if (offset === undefined) return null;
  let number = covered;
  let end = size;
  for await (const batch of splitLines(chunksOf(file, offset, Number.MAX_SAFE_INTEGER), placeOf, covered)) {
    const lines = batch.map((line) => {
      number += 1;
      offset! += line.length + 1;
      return { event: parseEventLine(line, placeOf(number)), line };
    });
    end = lines.at(-1)!.event.seq + 1;
    yield lines;
  }
  return { first, offset, size: end };
}

/** The ends of the head, for its writer. */
export interface HeadEnds {
  /** Null if there is no complete line. */
  first: LedgerEvent | null;
  last: LedgerEvent | null;
  /** The bytes [from, to) of the complete lines from the event `size` on; as many as none if there is no such event. */
  from: number;
  to: number;
}

/** Reads the first and the last line, and counts lines where the head begins before the event `size`. Throws as `readHead`. */
export async function readHeadEnds(ledger: LedgerDirectory, size: number): Promise<HeadEnds> {
  const none = { first: null, last: null, from: 0, to: 0 };
  const file = await openHead(ledger.head);
  if (!file) return none;
  try {
    const firstLine = await readFirstLine(file);
    if (!firstLine) return none;
    const { size: bytes } = await file.stat();
    // The last line and a following incomplete one, each of at most this length, with the line end before them.
    const start = Math.max(0, bytes - 2 * (MAX_LINE_BYTES + 1) - 1);
    const tail = Buffer.concat(await Array.fromAsync(chunksOf(file, start, bytes)));
    const end = tail.lastIndexOf(LINE_END);
    const begin = end > 0 ? tail.lastIndexOf(LINE_END, end - 1) + 1 : 0;
    const first = parseEventLine(firstLine, placeOf(1));
    const last = parseEventLine(tail.subarray(begin, Math.max(end, 0)), 'head.ndjson, last line');
    if (last.seq < size) return { first, last, from: 0, to: 0 };
    const from = (await skipLines(file, Math.max(0, size - first.seq))) ?? 0;
    return { first, last, from, to: start + end + 1 };
  } finally {
    await file.close();
  }
}

/**
 * The lines of the head as they are, in batches, without line ends. Returns how many bytes of an incomplete line follow, which is being
 * written or is left of a writer that was killed. Throws `ledger_unreadable` or `ledger_corrupt`.
 */
export async function* readRawLines(file: FileHandle): AsyncGenerator<Buffer[], number> {
  return yield* splitLines(chunksOf(file, 0, Number.MAX_SAFE_INTEGER), placeOf);
}

async function readFirstLine(file: FileHandle): Promise<Buffer | undefined> {
  for await (const chunk of chunksOf(file, 0, 1 + MAX_LINE_BYTES)) {
    const end = chunk.indexOf(LINE_END);
    if (end >= 0) return chunk.subarray(0, end);
    if (chunk.length > MAX_LINE_BYTES) {
      throw headFault(
        'ledger_corrupt',
        placeOf(1),
        `a line of at most ${MAX_LINE_BYTES} bytes`,
        'a longer one',
      );
    }
  }
  return undefined;
}

/** The offset after that many lines; undefined if there are fewer. */
async function skipLines(file: FileHandle, lines: number): Promise<number | undefined> {
  let left = lines;
  let passed = 0;
  for await (const chunk of chunksOf(file, 0, Number.MAX_SAFE_INTEGER)) {
    let at = 0;
    for (; left > 0; left -= 1) {
      const end = chunk.indexOf(LINE_END, at);
      if (end < 0) break;
      at = end + 1;
    }
    if (left === 0) return passed + at;
    passed += chunk.length;
  }
  return undefined;
}

/** The file's bytes in [start, end), as far as they exist. Leaves a pending write beyond `end` for the next call. */
async function* chunksOf(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
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

function placeOf(line: number): string {
  return `head.ndjson:${line}`;
}

function unreadable(cause: NodeJS.ErrnoException): CathedralError {
  const found = cause.code ?? String(cause);
  return headFault('ledger_unreadable', 'head.ndjson', 'a readable file', found, cause);
}

function headFault(code: ErrorCode, place: string, expected: string, found: string, cause?: unknown) {
  return new CathedralError(code, { place, expected, found, cause });
}
