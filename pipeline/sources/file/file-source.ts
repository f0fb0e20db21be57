import { createHash, type Hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CathedralError, errorOf } from '../../errors.ts';
import type { EventWarning } from '../../ledger/events/draft.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { draftRow, OF_ROWS, timed } from '../import/imported-row.ts';
import {
  assertRowId,
  type Opening,
  type RowSource,
  type RowView,
  rowPlace,
  type SourceRow,
  type Start,
} from '../import/source.ts';
import { assertText, decoderOf, markOf } from '../rows/input.ts';
import { MappedMembers } from '../rows/mapped-members.ts';
import type { Mapping, Row } from '../rows/mapping.ts';
import { type FileRecord, isQuoteOpen, LINE_ENDS, type RecordPlace, readRecords } from '../rows/records.ts';
import { csvReader, eventLinesReader, orFault, type RowReader, START_BYTES } from '../rows/row-reader.ts';

const importFault = errorOf('import_failed');

/**
 * A file that has not changed for that long is not being written: its end also ends the last row. Exports often lack the last line end; a
 * program that writes half a row and goes on ten minutes later is not known.
 */
const SETTLED_MS = 10 * 60_000;
/** A file that was longer and was changed just now is probably being written anew: its last rows are missing for a moment, and not deleted. */
const REWRITTEN_MS = 60_000;
/** A program that writes rows writes some in that time. */
const STILL_MS = 2000;
const MOST_WAITS = 10;
const CHUNK_BYTES = 256 * 1024;

/** How the file is written. */
export type FileKind = 'ndjson' | 'csv';

/**
 * The rows of a file that grows, in its own order: lines of NDJSON, or the rows of a CSV file. A row without an id has its number as id,
 * from 1. A last row without a line end waits until it has one, or the file is settled. `mapping`: null for a file that is written for the ledger.
 */
export function fileSource(kind: FileKind, path: string, mapping: Mapping | null): RowSource {
  const name = `${kind}+file:${path}`;
  return {
    ...OF_ROWS,
    form: {
      ...OF_ROWS.form,
      other: 'the file was truncated, rewritten or replaced, or it has another mapping',
    },
    name,
    oldestFirst: 'sort the file by time once, and append new rows at its end',
    isReadTwice: true,
    async open(opening) {
      // A named pipe, which nobody writes to, would never be opened.
      const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(
        (cause: NodeJS.ErrnoException) => {
          throw importFault(name, 'a readable file', cause.code ?? cause.message, cause);
        },
      );
      try {
        return await openView(kind, { name, file, mapping }, opening);
      } catch (error) {
        await file.close();
        throw error instanceof CathedralError
          ? importFault(error.place, error.expected, error.found, error)
          : error;
      }
    },
  };
}

async function openView(
  kind: FileKind,
  { name, file, mapping }: { name: string; file: FileHandle; mapping: Mapping | null },
  opening: Opening,
): Promise<RowView> {
  const stats = await file.stat();
  if (!stats.isFile())
    throw importFault(name, 'a file', stats.isDirectory() ? 'a folder' : 'a pipe or a device');
  const before = Mark.safeParse(opening.index.state.mark).data ?? NO_MARK;
  const { size, mtimeMs } = await rewritten(file, stats, before.read?.offset ?? 0, opening.now, name);
  const extent = { file, end: size, changedAt: mtimeMs, isSettled: opening.now - mtimeMs >= SETTLED_MS };
  const head = Buffer.concat(await Array.fromAsync(chunksOf(extent, 0, Math.min(size, START_BYTES))));
  assertText(head, name);
  const mark = markOf(head);
  const encoding = mark?.encoding ?? mapping?.file.encoding ?? 'utf-8';
  if (/16/.test(new TextDecoder(encoding).encoding))
    throw importFault(name, 'a file in UTF-8, or in an encoding with one byte for a line end', 'UTF-16');
  const offset = mark?.length ?? 0;
  const how = { name, begin: { offset, line: 1, index: 0 }, decode: decoderOf(name, encoding), mapping };
  const start = head.subarray(offset);
  const isWhole = extent.isSettled && size <= START_BYTES;
  const readerOf = kind === 'csv' ? csvReader : eventLinesReader;
  const reader = await readerOf({ ...how, start, isWhole });
  return new FileView(extent, reader, opening, before);
}

/** The file as it is once nobody is writing it anew: as long as what was imported, or of the same length for a while. */
async function rewritten(
  file: FileHandle,
  first: Stats,
  length: number,
  now: number,
  name: string,
): Promise<Stats> {
  let stats = first;
  for (let waits = 0; stats.size < length && Math.abs(now - stats.mtimeMs) < REWRITTEN_MS; waits += 1) {
    if (waits === MOST_WAITS)
      throw importFault(
        name,
        'a file that is as long as what was imported, or that nobody is writing',
        'a shorter one that is being written: write it beside this one and rename it',
      );
    await sleep(STILL_MS);
    const { size, mtimeMs } = stats;
    stats = await file.stat();
    if (stats.size === size && stats.mtimeMs === mtimeMs) break;
  }
  return stats;
}

interface Extent {
  file: FileHandle;
  /** Bytes of the file that are read: what is appended later is not. */
  end: number;
  /** Unix ms. */
  changedAt: number;
  /** Whether nothing is being written any more: then the end of the file also ends its last record. */
  isSettled: boolean;
}

async function* chunksOf({ file, end: whole }: Extent, from: number, end = whole): AsyncGenerator<Buffer> {
  for (let at = from; at < end; ) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

interface PlacedRow extends SourceRow {
  line: number;
  /** The place after it. */
  place: RecordPlace;
}

const Mark = z.object({
  /** Up to where all rows are imported or left out, and the SHA-256 of the bytes before and of the mapping. */
  read: z.object({ offset: z.number(), line: z.number(), index: z.number(), sha256: z.string() }).nullable(),
  /** The last row where it is not whole: where it begins, and since when. */
  waiting: z.object({ offset: z.number(), since: z.number() }).nullable(),
});
type Mark = z.output<typeof Mark>;
const NO_MARK: Mark = { read: null, waiting: null };

/** A file that was only appended to begins with the same bytes. Otherwise all of its rows are compared. */
class FileView implements RowView {
  #extent: Extent;
  readonly #members: MappedMembers | null;
  readonly #reader: RowReader;
  readonly #now: number;
  readonly #before: Mark;
  /** Time of the last imported row, Unix ms. */
  readonly #imported: number;
  #waiting: Mark['waiting'] = null;
  /** What followed the last whole row when rows were read last. */
  #unread: (RecordPlace & { bytes: Buffer }) | null = null;
  /** Of the mapping and the bytes before the offset. */
  #hashed: { offset: number; hash: Hash } | null = null;

  constructor(extent: Extent, reader: RowReader, { now, index }: Opening, before: Mark) {
    this.#extent = extent;
    this.#reader = reader;
    // A table has them in its header.
    this.#members = reader.layout.separators === null ? new MappedMembers(reader.mapping.columns) : null;
    this.#now = now;
    this.#before = before;
    this.#imported = Date.parse(index.state.end?.timestamp ?? formatTimestamp(now));
  }

  get absent(): ReadonlySet<string> {
    return this.#members?.absent ?? new Set();
  }

  async *some(): AsyncGenerator<never> {}

  async isSame(): Promise<boolean> {
    const { read } = this.#before;
    return (
      read !== null &&
      (await this.#endsRowAt(read.offset)) &&
      read.sha256 === (await this.#hashUpTo(read.offset))
    );
  }

  /** A row that was taken without a line end may go on. */
  async #endsRowAt(offset: number): Promise<boolean> {
    const chunks = await Array.fromAsync(chunksOf(this.#extent, Math.max(offset - 1, 0), offset + 1));
    const bytes = Buffer.concat(chunks);
    return bytes.length < 2 || bytes.some((byte) => LINE_ENDS.includes(byte));
  }

  all(): AsyncGenerator<PlacedRow[]> {
    return this.#read(this.#reader.begin);
  }

  fresh(start: Start): AsyncGenerator<PlacedRow[]> {
    return this.#read(this.#placeOf(start));
  }

  async assertOnce(row: SourceRow): Promise<void> {
    const { id, line, place } = row as PlacedRow;
    for await (const batch of this.#read(this.#reader.begin)) {
      const first = batch.find((one) => one.id === id);
      if (first?.place.offset === place.offset) return;
      if (!first) continue;
      throw importFault(
        `${this.#reader.layout.name}:${line}`,
        'each id once',
        `${JSON.stringify(id)}, as in line ${first.line}`,
      );
    }
  }

  /** A file that was exported anew may lack the last line end: its last row is not deleted. */
  async heldIds(): Promise<ReadonlySet<string>> {
    if (!this.#unread) return new Set();
    const { offset, line, index, bytes } = this.#unread;
    const record = { ...this.#unread, after: { offset: offset + bytes.length, line, index: index + 1 } };
    const [row] = this.#reader.rows([record]);
    return new Set([this.#row(row!, record).id]);
  }

  async held(start: Start) {
    const records = this.#records(this.#placeOf(start));
    let last: FileRecord | undefined;
    let step = await records.next();
    for (; !step.done; step = await records.next()) last = step.value.at(-1);
    if (step.value === null) return null;
    const { offset, line, bytes } = step.value;
    const isOpen = isQuoteOpen(bytes, this.#reader.layout.separators);
    const { waiting } = this.#before;
    const since = waiting?.offset === offset ? waiting.since : this.#extent.changedAt;
    if (isOpen && this.#now - since >= SETTLED_MS) {
      // Rows that are appended all the time would hide it for ever.
      this.#extent = { ...this.#extent, isSettled: true };
      return null;
    }
    this.#waiting = { offset, since };
    const reason = isOpen ? 'a quote that is not closed' : 'no line end';
    // The row may be as old as the one before it.
    const [row] = last ? this.#reader.rows([last]) : [];
    const earlier = row && Date.parse(this.#row(row, last!).timestamp);
    const held = Math.min(since, earlier || this.#imported);
    return { since: formatTimestamp(held), unread: { line, since, reason } };
  }

  async mark(start: Start, last: SourceRow | null, isWhole: boolean): Promise<Mark> {
    const place = (last?.place as RecordPlace | undefined) ?? this.#placeOf(start);
    const read = isWhole ? { ...place, sha256: await this.#hashUpTo(place.offset) } : null;
    return { read, waiting: this.#waiting };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#extent.file.close();
  }

  #placeOf(start: Start): RecordPlace {
    if (start === 'end') return this.#before.read!;
    return (start.last?.place as RecordPlace | undefined) ?? this.#reader.begin;
  }

  /** What `isSame` has read is not read again: if it changes while rows are imported, the next import sees that. */
  async #hashUpTo(offset: number): Promise<string> {
    const { mapping } = this.#reader;
    if (!this.#hashed || this.#hashed.offset > offset)
      this.#hashed = { offset: 0, hash: createHash('sha256').update(mapping.digest) };
    const { hash } = this.#hashed;
    for await (const chunk of chunksOf(this.#extent, this.#hashed.offset, offset)) hash.update(chunk);
    this.#hashed.offset = offset;
    return hash.copy().digest('hex');
  }

  async *#read(from: RecordPlace): AsyncGenerator<PlacedRow[]> {
    for await (const records of this.#records(from)) {
      const rows = this.#reader.rows(records);
      yield records.map((record, index) => this.#row(rows[index]!, record));
    }
  }

  async *#records(from: RecordPlace): ReturnType<typeof readRecords> {
    const { layout } = this.#reader;
    try {
      const chunks = chunksOf(this.#extent, from.offset);
      this.#unread = yield* readRecords(chunks, from, layout, this.#extent.isSettled);
      return this.#unread;
    } catch (error) {
      if (error instanceof CathedralError) throw error;
      throw importFault(layout.name, 'a readable file', (error as Error).message, error);
    }
  }

  #row(row: Row | CathedralError, record: FileRecord): PlacedRow {
    const { layout, mapping } = this.#reader;
    const { line, after } = record;
    const number = `${after.index}`;
    let id = number;
    const place = () => rowPlace(layout.name, { id: id || number, line });
    let misnamed: EventWarning | null = null;
    const draft = orFault(() => {
      if (row instanceof CathedralError) throw row;
      misnamed = this.#members?.see(row) ?? null;
      const column = mapping.columnOf('', 'id');
      // In a table with ids, the number of a row is the id of another one, or becomes that of the next one once an earlier row is gone.
      id = mapping.idOf(row, place) ?? (column === null ? number : '');
      const [event = null] = mapping.events(row, place);
      if (event) assertRowId(id, column === null ? place() : `${place()}, column ${column}`);
      return event && timed(event, place);
    });
    return draftRow(
      { id, line, place: after, warning: this.#reader.warningOf(record) ?? misnamed },
      draft,
      mapping.columnOf,
    );
  }
}
