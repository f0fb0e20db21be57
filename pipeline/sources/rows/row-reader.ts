import { CathedralError, errorOf } from '../../errors.ts';
import { counted } from '../../words/number.ts';
import type { Decode } from './input.ts';
import { JSON_EVENTS, objectRow } from './json-rows.ts';
import { assertColumns, type Mapping, plainMapping, type Row } from './mapping.ts';
import { type FileRecord, type Layout, type RecordPlace, readRecords } from './records.ts';
import { parseLine } from './row-json.ts';

const corrupt = errorOf('ledger_corrupt');

/** Turns the records of a file into rows. */
export interface RowReader {
  layout: Layout;
  /** Where the first row begins. */
  begin: RecordPlace;
  mapping: Mapping;
  /** What some consecutive records say, or why one says nothing. */
  rows(records: readonly FileRecord[]): (Row | CathedralError)[];
}

/** The header of a CSV file ends within that many bytes: two rows of the greatest length. */
export const START_BYTES = 2 * 1024 * 1024;

interface Opening {
  name: string;
  /** Where the content begins. */
  begin: RecordPlace;
  decode: Decode;
  /** Default: for CSV that of `plainMapping`; NDJSON holds events. */
  mapping: Mapping | null;
}

interface CsvOpening extends Opening {
  /** At least the first `START_BYTES` of the content, or all of it. */
  start: Buffer;
  /** Whether the end of `start` ends its last record. */
  isWhole: boolean;
}

const NO_ARRAY = "an object on each line, as jq -c '.[]' writes those of an array";

/** A reader of NDJSON, which has one value per line. */
export function ndjsonReader({ name, begin, decode, mapping }: Opening): RowReader {
  const rowOfLine = (record: FileRecord) => {
    const place = () => `${name}:${record.line}`;
    const text = decode(record).toString().trimEnd();
    if (text.startsWith('[')) throw corrupt(place(), NO_ARRAY, text.slice(0, 80));
    return objectRow(parseLine(text, place), place);
  };
  return {
    layout: { name, separators: null, header: 1 },
    begin,
    mapping: mapping ?? JSON_EVENTS,
    rows: (records) => records.map((record) => orFault(() => rowOfLine(record))),
  };
}

/**
 * A reader of a CSV table (RFC 4180, with any line end): comma, semicolon or tab, by its header or as given. Throws `ledger_corrupt` for a
 * header that is none, `ledger_schema` and `config_invalid` for columns that the mapping does not know.
 */
export async function csvReader({
  name,
  begin,
  decode,
  mapping: given,
  start,
  isWhole,
}: CsvOpening): Promise<RowReader> {
  const { header: line = 1, delimiter: own } = given?.file ?? {};
  const layout = { name, separators: Buffer.from(own ?? DELIMITERS.join('')), header: line };
  const first: FileRecord[] = [];
  for await (const records of readRecords([start], begin, layout, isWhole)) {
    first.push(...records);
    if (first.length > 1) break;
  }
  const text = first[0] ? decode(first[0]).toString() : '';
  const delimiter = own ?? delimiterOf(text);
  const header = SEP.test(text) ? first[1] : first[0];
  if (!header)
    throw corrupt(
      name,
      `a line with the names of columns${line === 1 ? '' : ` from line ${line} on`}`,
      isWhole ? 'no line' : 'none that ends',
    );
  const place = `${name}:${header.line}`;
  const columns = cellsOf(decode(header).toString(), delimiter, place).map((cell) => cell.trim());
  const named = columns.filter((column) => column !== '');
  if (own === undefined && named.length === 1 && /[|:^~]/.test(named[0]!))
    throw corrupt(
      place,
      'commas, semicolons or tabs between the names of columns, or the "delimiter" of the "file" in a mapping file',
      JSON.stringify(named[0]),
    );
  const mapping = given ?? plainMapping(named, place);
  assertColumns(mapping, named, place, ' (its "file": {"header": 3} says that line 3 has the names)');
  assertOnce(columns, given ? mapping.columns : named, place);
  const shape = { columns, line: header.line, isWhole: given === null };
  const rowOfRecord = (record: FileRecord) => {
    const at = `${name}:${record.line}`;
    return rowOf(cellsOf(decode(record).toString(), delimiter, at), shape, at);
  };
  return {
    layout: { ...layout, separators: Buffer.from(delimiter) },
    begin: { ...header.after, index: 0 },
    mapping,
    rows: (records) => records.map((record) => orFault(() => rowOfRecord(record))),
  };
}

/** Excel's own first line, `sep=;`, which other programs would take for the header. */
const SEP = /^sep=(.)[\r\n]/;
const DELIMITERS = [',', ';', '\t'];

/** What separates the names of columns: the one of three that occurs most often outside quotes. */
function delimiterOf(start: string): string {
  const sep = SEP.exec(start)?.[1];
  if (sep !== undefined) return sep;
  const line = start.replaceAll(/"[^"]*"/g, '');
  const count = (character: string) => line.split(character).length;
  return DELIMITERS.reduce((most, one) => (count(one) > count(most) ? one : most));
}

/** Throws `ledger_corrupt` if a header has a column twice that is read. Jira exports one for each comment. */
function assertOnce(columns: readonly string[], read: readonly string[], place: string): void {
  const twice = read.find((column) => columns.indexOf(column) !== columns.lastIndexOf(column));
  if (twice === undefined) return;
  throw corrupt(place, 'each column once', `${JSON.stringify(twice)} twice`);
}

const QUOTE = '"';

/**
 * The cells of a whole record, of which some may be in quotes, with two for one inside of them. Throws `ledger_corrupt`; `place` names the
 * record.
 */
function cellsOf(record: string, delimiter: string, place: string): string[] {
  const text = record.replace(/\r?\n$|\r$/, '');
  if (!text.includes(QUOTE)) return text.split(delimiter);
  const cells: string[] = [];
  const wrong = (found: string) =>
    corrupt(
      place,
      'CSV with quotes around the whole cell, and two for one inside of it',
      `cell ${cells.length + 1} with ${found}`,
    );
  for (let at = 0; at <= text.length; at += 1) {
    const start = at;
    if (text[start] === QUOTE) {
      at = closingQuote(text, start + 1) + 1;
      if (at === 0) throw wrong('a quote that is not closed');
      if (at < text.length && text[at] !== delimiter) throw wrong('text after its closing quote');
      cells.push(text.slice(start + 1, at - 1).replaceAll('""', QUOTE));
    } else {
      const next = text.indexOf(delimiter, start);
      at = next < 0 ? text.length : next;
      const cell = text.slice(start, at);
      if (cell.includes(QUOTE)) throw wrong('a quote after other text');
      cells.push(cell);
    }
  }
  return cells;
}

/** Negative where the cell does not end. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf(QUOTE, start);
  while (at >= 0 && text[at + 1] === QUOTE) at = text.indexOf(QUOTE, at + 2);
  return at;
}

/** The columns of a table, an empty name for one without. */
interface Shape {
  columns: readonly string[];
  /** Of the header. */
  line: number;
  /** Whether every column is read. Otherwise one without a name is as little read as any that the mapping does not name. */
  isWhole: boolean;
}

function rowOf(cells: readonly string[], { columns, line, isWhole }: Shape, place: string): Row {
  if (cells.length !== columns.length)
    throw corrupt(place, `${counted(columns.length, 'cell')}, as line ${line} has`, `${cells.length}`);
  const row: Record<string, string> = {};
  for (let index = 0; index < columns.length; index += 1) {
    const [column, cell] = [columns[index]!, cells[index]!];
    if (column !== '') row[column] = cell;
    else if (isWhole && cell !== '')
      throw corrupt(place, `a name for column ${index + 1} in line ${line}`, 'none');
  }
  return row;
}

export function orFault<T>(read: () => T): T | CathedralError {
  try {
    return read();
  } catch (fault) {
    if (fault instanceof CathedralError) return fault;
    throw fault;
  }
}
