import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import { type EventDraft, inUtc } from '../../ledger/events/draft.ts';
import { FEW_ROWS } from '../../ledger/events/import-alert.ts';
import { numberText } from '../../ledger/events/json.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { OF_ROWS } from '../import/imported-row.ts';
import type { RowPlace } from '../import/row-index.ts';
import type { Opening, RowSource, RowView, SourceRow } from '../import/source.ts';
import { columnsOf, delimiterOf, parseCells, rowOf } from '../rows/csv-rows.ts';
import { eventRow, objectRow } from '../rows/json-events.ts';
import { assertColumns, type MappedRow, type Mapping, plainMapping, type Row } from '../rows/mapping.ts';
import { parseLine } from '../rows/row-json.ts';
import { notUtf8 } from '../rows/utf8-chunks.ts';
import { type Extent, type FileRecord, isQuoteOpen, type RecordPlace, readRecords } from './file-records.ts';

/**
 * A file that has not changed for that long is not being written: its end also ends the last row. Exports often lack the last line end; a
 * program that writes half a row and goes on ten minutes later is not known.
 */
const SETTLED_MS = 10 * 60_000;

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
      const file = await open(path).catch((cause: NodeJS.ErrnoException) => {
        throw importFault(name, 'a readable file', cause.code ?? cause.message, cause);
      });
      try {
        return await openView(kind, name, { file, ...opening }, mapping);
      } catch (error) {
        await file.close();
        throw error instanceof CathedralError
          ? importFault(error.place, error.expected, error.found, error)
          : error;
      }
    },
  };
}

/** The text of a record → what it says. */
interface Reader {
  /** The rows of some consecutive records. */
  rows(records: readonly FileRecord[]): (Row | CathedralError)[];
  map(row: Row, place: () => string): MappedRow | null;
  idOf(row: Row, place: () => string): string | null;
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF_16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

async function openView(
  kind: FileKind,
  name: string,
  { file, mark, index, now }: { file: FileHandle } & Opening,
  mapping: Mapping | null,
): Promise<RowView> {
  const { size, mtimeMs } = await file.stat();
  const head = Buffer.alloc(Math.min(size, BOM.length));
  await file.read(head, 0, head.length, 0);
  const encoding = mapping?.file.encoding ?? 'utf-8';
  if (UTF_16.some((bom) => head.subarray(0, 2).equals(bom)) || /16/.test(new TextDecoder(encoding).encoding))
    throw importFault(name, 'a file in UTF-8, or in an encoding with one byte for a line end', 'UTF-16');
  const extent = {
    name,
    file,
    end: size,
    separators: kind === 'csv' ? Buffer.from(mapping?.file.delimiter ?? ',;\t') : null,
    isSettled: now - mtimeMs >= SETTLED_MS,
  };
  const start = { offset: head.equals(BOM) ? BOM.length : 0, line: 1, index: 0 };
  const begin = kind === 'csv' ? await placeOfLine(extent, start, mapping?.file.header ?? 1) : start;
  const decode = decoderOf(encoding, name);
  const table = kind === 'csv' ? await csvReader(extent, begin, decode, mapping) : null;
  const reader = table?.reader ?? ndjsonReader(name, decode, mapping);
  const known = table ? { ...extent, separators: Buffer.from(table.delimiter) } : extent;
  const before = Mark.safeParse(JSON.parse(mark ?? 'null')).data ?? null;
  return new FileView(known, table?.begin ?? begin, {
    reader,
    index,
    now,
    changedAt: mtimeMs,
    mark: before,
  });
}

/** The place of a line, below lines of titles, in which quotes have no meaning. */
async function placeOfLine(extent: Extent, start: RecordPlace, line: number): Promise<RecordPlace> {
  if (line === start.line) return start;
  for await (const records of readRecords({ ...extent, separators: null }, start)) {
    const found = records.find((record) => record.line >= line);
    if (found) return { offset: found.offset, line: found.line, index: 0 };
  }
  return { offset: extent.end, line, index: 0 };
}

/** Records → UTF-8. Throws `ledger_corrupt`. */
type Decode = (record: FileRecord) => Buffer;

function decoderOf(encoding: string, name: string): Decode {
  const decoder = new TextDecoder(encoding, { fatal: true });
  if (decoder.encoding !== 'utf-8')
    return ({ bytes, line }) => {
      try {
        return Buffer.from(decoder.decode(bytes));
      } catch (cause) {
        const place = `${name}:${line}`;
        throw new CathedralError('ledger_corrupt', {
          place,
          expected: encoding,
          found: 'other bytes',
          cause,
        });
      }
    };
  return ({ bytes, line }) => {
    if (isUtf8(bytes) && !bytes.includes(0)) return bytes;
    throw notUtf8(bytes, name, line);
  };
}

function ndjsonReader(name: string, decode: Decode, mapping: Mapping | null): Reader {
  const idOf = ({ id }: Row) => (typeof id === 'string' ? id : (numberText(id) ?? null));
  return {
    rows: (records) =>
      records.map((record) =>
        orFault(() => {
          const place = () => `${name}:${record.line}`;
          return objectRow(parseLine(decode(record).toString().trimEnd(), place), place);
        }),
      ),
    map: (row, place) => (mapping ? mapping.map(row, place) : eventRow(row, place)),
    idOf: (row, place) => (mapping ? mapping.idOf(row, place) : idOf(row)),
  };
}

/** Reads the header, and returns the place after it. */
async function csvReader(extent: Extent, begin: RecordPlace, decode: Decode, given: Mapping | null) {
  const { name } = extent;
  const first: FileRecord[] = [];
  for await (const records of readRecords(extent, begin)) {
    first.push(...records);
    if (first.length > 1) break;
  }
  const start = first[0] ? decode(first[0]).toString() : '';
  const delimiter = given?.file.delimiter ?? delimiterOf(start);
  const header = start.startsWith('sep=') ? first[1] : first[0];
  if (!header) throw importFault(name, 'a first line with the names of columns', 'none that ends');
  const [cells = []] = parseCells(decode(header), delimiter, `${name}:${header.line}`);
  const columns = columnsOf({ cells, line: header.line }, name);
  const named = columns.filter((column) => column !== '');
  const mapping = given ?? plainMapping(named, `${name}:${header.line}`);
  assertColumns(mapping, named, `${name}:${header.line}`);
  const rowsOf = (records: readonly FileRecord[]): (Row | CathedralError)[] => {
    const place = `${name}:${records[0]?.line}`;
    const all = orFault(() => parseCells(Buffer.concat(records.map(decode)), delimiter, place));
    if (!(all instanceof CathedralError) && all.length === records.length)
      return records.map(({ line }, index) => {
        const { row, fault } = rowOf({ cells: all[index]!, line }, columns, name);
        return fault ?? row;
      });
    // One of them is wrong: the others are read alone.
    if (records.length > 1) return records.flatMap((record) => rowsOf([record]));
    return [all instanceof CathedralError ? all : importFault(place, 'a row', `${all.length} of them`)];
  };
  const reader: Reader = { rows: rowsOf, map: mapping.map, idOf: mapping.idOf };
  return { reader, delimiter, begin: { ...header.after, index: 0 } };
}

function orFault<T>(read: () => T): T | CathedralError {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof CathedralError) return fault;
    throw fault;
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

interface FileOpening extends Omit<Opening, 'mark'> {
  /** Unix ms. */
  changedAt: number;
  /** Of the import before. */
  mark: Mark | null;
}

class FileView implements RowView {
  mark: string | null = null;
  #extent: Extent;
  readonly #begin: RecordPlace;
  readonly #reader: Reader;
  readonly #opening: FileOpening;
  /** Row id → the place after it, for the ends of stretches, which are the beginnings of others. */
  readonly #known = new Map<string, RecordPlace>();

  constructor(extent: Extent, begin: RecordPlace, { reader, ...opening }: { reader: Reader } & FileOpening) {
    this.#extent = extent;
    this.#begin = begin;
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

  async held(after: RowPlace | null) {
    const records = readRecords(this.#extent, await this.#placeAfter(after));
    let last: FileRecord | undefined;
    let step = await records.next();
    for (; !step.done; step = await records.next()) last = step.value.at(-1);
    if (step.value === null) return null;
    const { offset, line, bytes } = step.value;
    const { now, changedAt, mark } = this.#opening;
    const isOpen = isQuoteOpen(bytes, this.#extent.separators);
    const since = mark?.offset === offset ? mark.since : changedAt;
    if (isOpen && now - since >= SETTLED_MS) {
      // Rows that are appended all the time would hide it for ever.
      this.#extent = { ...this.#extent, isSettled: true };
      return null;
    }
    this.mark = JSON.stringify({ offset, since } satisfies Mark);
    const reason = isOpen ? 'a quote that is not closed' : 'no line end';
    // The row may be as old as the one before it.
    const [row] = last ? this.#reader.rows([last]) : [];
    const before = row ? this.#row(row, last!.after.index).row.timestamp : after?.timestamp;
    const held = Math.min(since, before ? Date.parse(before) : since);
    return { since: formatTimestamp(held), unread: { line, since, reason } };
  }

  async close(): Promise<void> {
    await this.#extent.file.close();
  }

  #assertNew(id: string, { index }: RecordPlace, seen: Map<string, number>): void {
    const first = seen.get(id);
    if (first !== undefined)
      throw importFault(
        `${this.#extent.name}, row ${index}`,
        'each id once',
        `${JSON.stringify(id)}, as in row ${first}`,
      );
    seen.set(id, index);
  }

  /** The place after an imported row: mostly where the number of rows says, otherwise where its id is. */
  async #placeAfter(place: RowPlace | null): Promise<RecordPlace> {
    if (place === null) return this.#begin;
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
    const own = await this.#find([place.id], this.#begin);
    if (own) return own;
    let tried = 0;
    for (const ids of this.#opening.index.idsUpTo(place)) {
      const found = await this.#find(ids, this.#begin);
      if (found) return found;
      tried += ids.length;
      // If all of so many are gone, this is another file.
      if (tried >= FEW_ROWS) throw this.#lost(place);
    }
    return this.#begin;
  }

  /** The place after that many rows; null if there are fewer. */
  async #skip(rows: number): Promise<RecordPlace | null> {
    const before = [...this.#known.values()].filter(({ index }) => index <= rows);
    const from = before.reduce((last, one) => (one.index > last.index ? one : last), this.#begin);
    if (rows <= from.index) return from;
    for await (const records of readRecords(this.#extent, from)) {
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
    try {
      for await (const records of readRecords(this.#extent, from, to?.offset)) {
        const rows = this.#reader.rows(records);
        yield records.map(({ after }, index) => ({ ...this.#row(rows[index]!, after.index), after }));
      }
    } catch (error) {
      if (error instanceof CathedralError) throw error;
      throw importFault(this.#extent.name, 'a readable file', (error as Error).message, error);
    }
  }

  #row(row: Row | CathedralError, index: number): Pick<PlacedRow, 'row' | 'hasOwnId'> {
    let id = `${index}`;
    let hasOwnId = false;
    const place = () => `${this.#extent.name}, row ${id}`;
    const draftOf = () => {
      if (row instanceof CathedralError) throw row;
      const own = this.#reader.idOf(row, place);
      hasOwnId = own !== null;
      id = own ?? id;
      const mapped = this.#reader.map(row, place);
      return mapped && { ...mapped.draft, timestamp: this.#timeOf(mapped.draft, place) };
    };
    const draft = orFault(draftOf);
    if (draft === null || draft instanceof CathedralError)
      return { row: { id, timestamp: '', draft }, hasOwnId };
    const { timestamp, seq: _, salt: __, ...rest } = draft;
    return { row: { id, timestamp, draft: rest }, hasOwnId };
  }

  #timeOf({ timestamp }: EventDraft, place: () => string): string {
    if (typeof timestamp === 'string') return inUtc(timestamp);
    const found = timestamp === undefined ? 'nothing' : JSON.stringify(timestamp);
    throw new CathedralError('ledger_schema', { place: place(), expected: 'timestamp to be a time', found });
  }

  #lost({ id, place }: RowPlace): CathedralError {
    return importFault(
      this.#extent.name,
      `row ${id}, which was imported as number ${place}`,
      'no such row: the file was truncated, rewritten or replaced. Restore it, or import into another folder',
    );
  }
}

function importFault(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('import_failed', { place, expected, found, cause });
}
