import { constants, type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { CathedralError, errorOf } from '../../errors.ts';
import { inUtc } from '../../ledger/events/draft.ts';
import { FEW_ROWS } from '../../ledger/events/import-alert.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { OF_ROWS } from '../import/imported-row.ts';
import type { RowPlace } from '../import/row-index.ts';
import type { Opening, RowSource, RowView, SourceRow } from '../import/source.ts';
import { decoderOf, markOf } from '../rows/input.ts';
import type { Mapping, Row } from '../rows/mapping.ts';
import { type FileRecord, isQuoteOpen, type RecordPlace, readRecords } from '../rows/records.ts';
import { csvReader, ndjsonReader, orFault, type RowReader, START_BYTES } from '../rows/row-reader.ts';

const importFault = errorOf('import_failed');

/**
 * A file that has not changed for that long is not being written: its end also ends the last row. Exports often lack the last line end; a
 * program that writes half a row and goes on ten minutes later is not known.
 */
const SETTLED_MS = 10 * 60_000;
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
    name,
    oldestFirst: 'sort the file by time once, and append new rows at its end',
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
  const { size, mtimeMs } = stats;
  const extent = { file, end: size, changedAt: mtimeMs, isSettled: opening.now - mtimeMs >= SETTLED_MS };
  const head = Buffer.concat(await Array.fromAsync(chunksOf(extent, 0, Math.min(size, START_BYTES))));
  const mark = markOf(head);
  const encoding = mark?.encoding ?? mapping?.file.encoding ?? 'utf-8';
  if (/16/.test(new TextDecoder(encoding).encoding))
    throw importFault(name, 'a file in UTF-8, or in an encoding with one byte for a line end', 'UTF-16');
  const offset = mark?.length ?? 0;
  const how = { name, begin: { offset, line: 1, index: 0 }, decode: decoderOf(name, encoding), mapping };
  const start = head.subarray(offset);
  const isWhole = extent.isSettled && size <= START_BYTES;
  const reader = kind === 'csv' ? await csvReader({ ...how, start, isWhole }) : ndjsonReader(how);
  return new FileView(extent, reader, opening);
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

interface PlacedRow {
  row: SourceRow;
  /** Whether the id is the row's own, and not its number. */
  hasOwnId: boolean;
  after: RecordPlace;
}

/** The last row where it is not whole: where it begins, and since when. */
const Mark = z.object({ offset: z.number(), since: z.number() });
type Mark = z.output<typeof Mark>;

class FileView implements RowView {
  mark: string | null = null;
  #extent: Extent;
  readonly #reader: RowReader;
  readonly #opening: Opening;
  /** Row id → the place after it, for the ends of stretches, which are the beginnings of others. */
  readonly #known = new Map<string, RecordPlace>();

  constructor(extent: Extent, reader: RowReader, opening: Opening) {
    this.#extent = extent;
    this.#reader = reader;
    this.#opening = opening;
  }

  async *rows(after: RowPlace | null, until?: RowPlace): AsyncGenerator<SourceRow[]> {
    const from = await this.#placeAfter(after);
    const to = until && (await this.#placeAfter(until));
    const seen = new Map<string, number>();
    if (to && to.offset <= from.offset) return;
    for await (const batch of this.#read(from, to)) {
      for (const { row, hasOwnId, after: place } of batch) if (hasOwnId) this.#assertNew(row.id, place, seen);
      yield batch.map(({ row }) => row);
    }
  }

  async elsewhere(ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const seen = new Map<string, number>();
    for await (const batch of this.#read(this.#reader.begin))
      for (const { row, hasOwnId, after } of batch)
        if (hasOwnId && ids.has(row.id)) this.#assertNew(row.id, after, seen);
    return new Set(seen.keys());
  }

  async held(after: RowPlace | null) {
    const records = this.#records(await this.#placeAfter(after));
    let last: FileRecord | undefined;
    let step = await records.next();
    for (; !step.done; step = await records.next()) last = step.value.at(-1);
    if (step.value === null) return null;
    const { offset, line, bytes } = step.value;
    const { changedAt } = this.#extent;
    const { now, mark } = this.#opening;
    const isOpen = isQuoteOpen(bytes, this.#reader.layout.separators);
    const before = Mark.safeParse(JSON.parse(mark ?? 'null')).data;
    const since = before?.offset === offset ? before.since : changedAt;
    if (isOpen && now - since >= SETTLED_MS) {
      // Rows that are appended all the time would hide it for ever.
      this.#extent = { ...this.#extent, isSettled: true };
      return null;
    }
    this.mark = JSON.stringify({ offset, since } satisfies Mark);
    const reason = isOpen ? 'a quote that is not closed' : 'no line end';
    // The row may be as old as the one before it.
    const [row] = last ? this.#reader.rows([last]) : [];
    const earlier = row ? this.#row(row, last!.after.index).row.timestamp : after?.timestamp;
    const held = Math.min(since, earlier ? Date.parse(earlier) : since);
    return { since: formatTimestamp(held), unread: { line, since, reason } };
  }

  async close(): Promise<void> {
    await this.#extent.file.close();
  }

  #assertNew(id: string, { index }: RecordPlace, seen: Map<string, number>): void {
    const first = seen.get(id);
    if (first !== undefined)
      throw importFault(
        `${this.#reader.layout.name}, row ${index}`,
        'each id once',
        `${JSON.stringify(id)}, as in row ${first}`,
      );
    seen.set(id, index);
  }

  /** The place after an imported row: mostly where the number of rows says, otherwise where its id is. */
  async #placeAfter(place: RowPlace | null): Promise<RecordPlace> {
    if (place === null) return this.#reader.begin;
    const known = this.#known.get(place.id);
    if (known) return known;
    const expected = await this.#skip(place.place - 1);
    const found =
      (expected && (await this.#find([place.id], expected))) ?? (await this.#placeOfDeleted(place));
    this.#known.set(place.id, found);
    return found;
  }

  /** If the row is deleted, its place is after the newest one before it that is still there. */
  async #placeOfDeleted(place: RowPlace): Promise<RecordPlace> {
    const { begin } = this.#reader;
    const own = await this.#find([place.id], begin);
    if (own) return own;
    let tried = 0;
    for (const ids of this.#opening.index.idsUpTo(place)) {
      const found = await this.#find(ids, begin);
      if (found) return found;
      tried += ids.length;
      // If all of so many are gone, this is another file.
      if (tried >= FEW_ROWS) throw this.#lost(place);
    }
    return begin;
  }

  /** The place after that many rows; null if there are fewer. */
  async #skip(rows: number): Promise<RecordPlace | null> {
    const before = [...this.#known.values()].filter(({ index }) => index <= rows);
    const from = before.reduce((last, one) => (one.index > last.index ? one : last), this.#reader.begin);
    if (rows <= from.index) return from;
    for await (const records of this.#records(from)) {
      const found =
        records.at(-1)!.after.index >= rows ? records.find(({ after }) => after.index === rows) : null;
      if (found) return found.after;
    }
    return null;
  }

  /** The place after the first of these rows that the file has. */
  async #find(ids: readonly string[], from: RecordPlace): Promise<RecordPlace | null> {
    const ranks = new Map(ids.map((id, rank) => [id, rank]));
    let best = ids.length;
    let found: RecordPlace | null = null;
    for await (const batch of this.#read(from)) {
      for (const { row, after } of batch) {
        const rank = ranks.get(row.id) ?? best;
        if (rank < best) [best, found] = [rank, after];
      }
      if (best === 0) break;
    }
    return found;
  }

  async *#read(from: RecordPlace, to?: RecordPlace): AsyncGenerator<PlacedRow[]> {
    for await (const records of this.#records(from, to)) {
      const rows = this.#reader.rows(records);
      yield records.map(({ after }, index) => ({ ...this.#row(rows[index]!, after.index), after }));
    }
  }

  async *#records(from: RecordPlace, to?: RecordPlace): ReturnType<typeof readRecords> {
    const { layout } = this.#reader;
    const { isSettled, end } = this.#extent;
    const chunks = chunksOf(this.#extent, from.offset, to?.offset);
    try {
      return yield* readRecords(chunks, from, layout, isSettled && (to?.offset ?? end) === end);
    } catch (error) {
      if (error instanceof CathedralError) throw error;
      throw importFault(layout.name, 'a readable file', (error as Error).message, error);
    }
  }

  #row(row: Row | CathedralError, index: number): Pick<PlacedRow, 'row' | 'hasOwnId'> {
    const { layout, mapping } = this.#reader;
    let id = `${index}`;
    let hasOwnId = false;
    const place = () => `${layout.name}, row ${id}`;
    const mapped = orFault(() => {
      if (row instanceof CathedralError) throw row;
      const own = mapping.idOf(row, place);
      hasOwnId = own !== null;
      id = own ?? id;
      const [event] = mapping.events(row, place);
      return event ? { draft: event.draft, timestamp: this.#timeOf(event.draft.timestamp, place) } : null;
    });
    if (mapped === null || mapped instanceof CathedralError)
      return { row: { id, timestamp: '', draft: mapped }, hasOwnId };
    const { timestamp: _, seq: __, salt: ___, ...draft } = mapped.draft;
    return { row: { id, timestamp: mapped.timestamp, draft }, hasOwnId };
  }

  #timeOf(timestamp: unknown, place: () => string): string {
    if (typeof timestamp === 'string') return inUtc(timestamp);
    const found = timestamp === undefined ? 'nothing' : JSON.stringify(timestamp);
    throw new CathedralError('ledger_schema', { place: place(), expected: 'timestamp to be a time', found });
  }

  #lost({ id, place }: RowPlace): CathedralError {
    return importFault(
      this.#reader.layout.name,
      `row ${id}, which was imported as number ${place}`,
      'no such row: the file was truncated, rewritten or replaced. Restore it, or import into another folder',
    );
  }
}
