import { constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { basename } from 'node:path';
import { CathedralError, orNull } from '../../errors.ts';
import type { EventDraft, EventWarning } from '../../ledger/events/draft.ts';
import { begun, decoderOf, type Input, utf8Chunks } from './input.ts';
import { JSON_EVENTS, type JsonDocument, objectRow, readJsonDocument } from './json-rows.ts';
import { MappedMembers } from './mapped-members.ts';
import type { Mapping, Row } from './mapping.ts';
import { readRecords } from './records.ts';
import { csvReader, ndjsonReader, orFault, START_BYTES } from './row-reader.ts';

export type Format = 'json' | 'ndjson' | 'csv';

/** A row of a file, or one of its events. */
export interface FileRow {
  line: number;
  /** In its table; null where it has none, and for all but the first event of a row. */
  id: string | null;
  /** What it says; why it says nothing; or null for a row that the mapping leaves out. */
  draft: EventDraft | CathedralError | null;
  /** What is probably wrong with the row, once for all of its events. */
  warning: EventWarning | null;
}

/** The rows of a file, in batches. */
export interface RowFile {
  /** For messages. */
  name: string;
  mapping: Mapping;
  /** Members of a JSON document that hold no rows, as where more of them are to be had. */
  unread: readonly string[];
  /** Columns of the mapping that no row had so far; in CSV the header has them. */
  absent: ReadonlySet<string>;
  /** Throws `ledger_unreadable`, and `ledger_corrupt` where nothing after a place can be read. */
  rows: AsyncGenerator<FileRow[]>;
}

export interface ReadOptions {
  /** Default: by the name or the first character. */
  format?: Format | null;
  /** Default: for CSV that of `plainMapping`; JSON and NDJSON hold events. */
  mapping?: Mapping | null;
}

/** Reads a file of rows. Throws `ledger_unreadable`, `ledger_corrupt`, `ledger_schema` or `config_invalid` about the file as a whole. */
export async function readRowFile(
  input: Input,
  { format, mapping = null }: ReadOptions = {},
): Promise<RowFile> {
  const { name } = input;
  const members = new MappedMembers(mapping?.columns ?? []);
  const { absent } = members;
  const { start, isWhole, content } = await begun(utf8Chunks(input, mapping?.file.encoding), START_BYTES);
  const kind = format ?? formatOf(name, start.toString());
  if (kind === 'json') {
    const { items, unread } = await readJsonDocument(content, name);
    const how = mapping ?? JSON_EVENTS;
    return { name, mapping: how, unread, absent, rows: documentRows(items, name, how, members) };
  }
  const decode = decoderOf(name);
  const opening = { name, begin: { offset: 0, line: 1, index: 0 }, decode, mapping };
  const reader = kind === 'csv' ? await csvReader({ ...opening, start, isWhole }) : ndjsonReader(opening);
  const seen = kind === 'csv' ? null : members;
  async function* rows(): AsyncGenerator<FileRow[]> {
    for await (const all of readRecords(content, opening.begin, reader.layout, true)) {
      const records = all.filter(({ offset }) => offset >= reader.begin.offset);
      const found = records.length === 0 ? [] : reader.rows(records);
      yield records.flatMap((record, index) => {
        const own = { name, line: record.line, warning: reader.warningOf(record) };
        return rowsOf(found[index]!, own, reader.mapping, seen);
      });
    }
  }
  return { name, mapping: reader.mapping, unread: [], absent: seen?.absent ?? new Set(), rows: rows() };
}

async function* documentRows(
  items: JsonDocument['items'],
  name: string,
  mapping: Mapping,
  members: MappedMembers,
): AsyncGenerator<FileRow[]> {
  yield items.flatMap(({ line, value }) => {
    const row = orFault(() => objectRow(value, () => `${name}:${line}`));
    return rowsOf(row, { name, line, warning: null }, mapping, members);
  });
}

/** The events of a row, each with its line; one without an event for a row that is left out. `members`: null for a table, whose header has them. */
function rowsOf(
  row: Row | CathedralError,
  { name, line, warning }: { name: string } & Pick<FileRow, 'line' | 'warning'>,
  mapping: Mapping,
  members: MappedMembers | null,
): FileRow[] {
  const place = () => `${name}:${line}`;
  const rows = orFault(() => {
    if (row instanceof CathedralError) throw row;
    const misnamed = members?.see(row) ?? null;
    const [first = null, ...others] = mapping.events(row, place);
    const id = first && mapping.idOf(row, place);
    return [
      { line, id, draft: first, warning: warning ?? misnamed },
      ...others.map((draft) => ({ line, id: null, draft, warning: null })),
    ];
  });
  return rows instanceof CathedralError ? [{ line, id: null, draft: rows, warning: null }] : rows;
}

/** Opens a file, or standard input. Throws `ledger_unreadable` when it is read. */
export function openInput(path: string | null, stdin: AsyncIterable<Uint8Array>): Input {
  if (path === null) return { name: 'standard input', bytes: stdin };
  return { name: basename(path), bytes: readBytes(path) };
}

async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    // Otherwise the open of a named pipe would wait for its writer in a thread, for which the end of the process would wait as well.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFIFO()) yield* new Socket({ fd, writable: false });
    else yield* createReadStream(path, { fd, highWaterMark: 256 * 1024 });
  } catch (cause) {
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CathedralError('ledger_unreadable', { place: path, expected: 'a readable file', found, cause });
  }
}

const ENDINGS: Readonly<Record<string, Format>> = {
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  csv: 'csv',
  tsv: 'csv',
};

function formatOf(name: string, start: string): Format {
  const byName = ENDINGS[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
  if (byName) return byName;
  const [line = ''] = start.trimStart().split('\n', 1);
  if (line.startsWith('[')) return 'json';
  if (!line.startsWith('{')) return 'csv';
  return orNull(() => JSON.parse(line)) !== null && !/"events"\s*:\s*\[/.test(line) ? 'ndjson' : 'json';
}
