import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { CathedralError } from '../../errors.ts';
import { readCsv } from './csv-rows.ts';
import { eventRow, jsonValues, ndjsonValues, objectRow, type Placed } from './json-events.ts';
import { assertColumns, type MappedRow, type Mapping, plainMapping } from './mapping.ts';
import { type Input, peekLine, utf8Chunks } from './utf8-chunks.ts';

export const FORMATS = ['json', 'ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** A row of a file, or one of its events: what it says, or why it says nothing. */
export interface FileRow {
  line: number;
  /** Null for a row that the mapping leaves out, and for one with a fault. */
  mapped: MappedRow | null;
  fault?: CathedralError;
}

/** The rows of a file, in batches. */
export interface RowFile {
  /** For messages. */
  name: string;
  /** The mapping of its rows; null for events as JSON. */
  mapping: Mapping | null;
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
  const { start, content: chunks } = await peekLine(utf8Chunks(input, mapping?.file.encoding));
  const kind = format ?? formatOf(name, start);
  if (kind === 'csv') return csvFile(chunks, name, mapping);
  const read = kind === 'json' ? jsonValues : ndjsonValues;
  const values = read(chunks, name);
  return { name, mapping, rows: jsonRows(values, name, mapping) };
}

/** Opens a file, or standard input. Throws `ledger_unreadable` when it is read. */
export function openInput(path: string | null, stdin: AsyncIterable<Uint8Array>): Input {
  if (path === null) return { name: 'standard input', bytes: stdin };
  return { name: basename(path), bytes: readBytes(path) };
}

async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 256 * 1024 });
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
  return isWhole(line) && !/"events"\s*:\s*\[/.test(line) ? 'ndjson' : 'json';
}

function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

async function csvFile(
  chunks: AsyncGenerator<Buffer>,
  name: string,
  given: Mapping | null,
): Promise<RowFile> {
  const { columns, line, rows } = await readCsv(chunks, name, given?.file);
  const place = `${name}:${line}`;
  const mapping = given ?? plainMapping(columns, place);
  assertColumns(mapping, columns, place);
  async function* mapped(): AsyncGenerator<FileRow[]> {
    for await (const batch of rows)
      yield batch.flatMap(({ line, row, fault }) => {
        if (fault) return { line, mapped: null, fault };
        return mapOne(line, () => mapping.mapAll(row, () => `${name}:${line}`));
      });
  }
  return { name, mapping, rows: mapped() };
}

async function* jsonRows(
  batches: AsyncGenerator<Placed[]>,
  name: string,
  mapping: Mapping | null,
): AsyncGenerator<FileRow[]> {
  for await (const batch of batches)
    yield batch.flatMap(({ line, value, fault }) => {
      if (fault) return { line, mapped: null, fault };
      const place = () => `${name}:${line}`;
      return mapOne(line, () =>
        mapping === null ? [eventRow(value, place)] : mapping.mapAll(objectRow(value, place), place),
      );
    });
}

/** The events of a row, each with its line; one without an event for a row that is left out. */
function mapOne(line: number, map: () => MappedRow[]): FileRow[] {
  try {
    const all = map();
    return all.length === 0 ? [{ line, mapped: null }] : all.map((mapped) => ({ line, mapped }));
  } catch (fault) {
    if (!(fault instanceof CathedralError)) throw fault;
    return [{ line, mapped: null, fault }];
  }
}
