import { CsvError, parse } from 'csv-parse/sync';
import { CathedralError, errorOf } from '../../errors.ts';
import type { EventWarning } from '../../ledger/events/draft.ts';
import { counted, formatCount } from '../../words/number.ts';
import type { Decode } from './input.ts';
import { eventsOfFile, JSON_EVENTS, objectRow } from './json-rows.ts';
import { assertColumns, type Mapping, plainMapping, type Row } from './mapping.ts';
import {
  type FileRecord,
  type Layout,
  LINE_ENDS,
  NO_ARRAY,
  type RecordPlace,
  readRecords,
} from './records.ts';
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
  /** What is probably wrong with a record that is a row all the same. */
  warningOf(record: FileRecord): EventWarning | null;
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

interface StartedOpening extends Opening {
  /** At least the first `START_BYTES` of the content, or all of it. */
  start: Buffer;
  /** Whether the end of `start` ends its last record. */
  isWhole: boolean;
}

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
    warningOf: () => null,
  };
}

/** A reader of the NDJSON of a file that is followed. Without a mapping, the first line decides whether all have an id. */
export async function eventLinesReader({ start, isWhole, ...how }: StartedOpening): Promise<RowReader> {
  const reader = ndjsonReader(how);
  if (how.mapping !== null) return reader;
  for await (const records of readRecords([start], how.begin, reader.layout, isWhole)) {
    const [row] = reader.rows(records.slice(0, 1));
    // The import stops there anyway.
    if (row instanceof CathedralError) return reader;
    if (row) return { ...reader, mapping: eventsOfFile(Object.hasOwn(row, 'id')) };
  }
  return reader;
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
}: StartedOpening): Promise<RowReader> {
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
  const [cells = []] = parseCells(decode(header), delimiter, place);
  const columns = cells.map((cell) => cell.trim());
  const named = columns.filter((column) => column !== '');
  if (own === undefined && named.length === 1 && /[|:^~]/.test(named[0]!))
    throw corrupt(
      place,
      'commas, semicolons or tabs between the names of columns, or the "delimiter" of the "file" in a mapping file',
      JSON.stringify(named[0]),
    );
  const mapping = given ?? plainMapping(named, place);
  const remedy =
    ' (its "file": {"header": 3, "delimiter": ";"} says that line 3 has the names, and what separates them)';
  assertColumns(mapping, named, place, remedy);
  assertOnce(columns, given ? mapping.columns : named, place);
  const shape = { columns, line: header.line, isWhole: given === null };
  const isTimed = mapping.columnOf('', 'timestamp') !== null;
  const table = { name, decode, delimiter, shape, mapping, isTimed };
  const isWide = columns.length >= LEAST_CELLS;
  const hiddenFault = (record: FileRecord) => {
    const hidden = isWide && isTimed ? hiddenRows(record, table) : null;
    return hidden && corrupt(`${name}:${record.line}`, hidden.expected, hidden.found);
  };
  const rows = (records: readonly FileRecord[]): (Row | CathedralError)[] => {
    const [{ line } = { line: 0 }] = records;
    const all = orFault(() => parseCells(Buffer.concat(records.map(decode)), delimiter, `${name}:${line}`));
    if (!(all instanceof CathedralError) && all.length === records.length)
      return records.map(
        (record, index) => hiddenFault(record) ?? rowOf(all[index]!, shape, `${name}:${record.line}`),
      );
    // One of them is wrong: the others are read alone.
    if (records.length > 1) return records.flatMap((record) => rows([record]));
    return [
      all instanceof CathedralError ? all : corrupt(`${name}:${line}`, 'a row', `${all.length} of them`),
    ];
  };
  return {
    layout: { ...layout, separators: Buffer.from(delimiter) },
    begin: { ...header.after, index: 0 },
    mapping,
    rows,
    // In a narrow table it may be a line of a log, and in one without times a line of prose.
    warningOf: (record) => (isWide !== isTimed ? hiddenRows(record, table) : null),
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
  const seen = new Set<string>();
  const again = new Set(columns.filter((column) => seen.size === seen.add(column).size));
  const twice = read.find((column) => again.has(column));
  if (twice === undefined) return;
  throw corrupt(place, 'each column once', `${JSON.stringify(twice)} twice`);
}

const RULES = {
  // Also a file whose parts have different line ends.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
};
const QUOTES = 'CSV with quotes around the whole cell, and two for one inside of it';

/** What is wrong with the quotes of a cell, by the parser's code. */
const QUOTE_FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that is not closed',
  INVALID_OPENING_QUOTE: 'a quote after other text',
  CSV_INVALID_CLOSING_QUOTE: 'text after its closing quote',
};

/** The cells of whole records. Throws `ledger_corrupt`; `place` names the first of them. */
function parseCells(records: Buffer, delimiter: string, place: string): string[][] {
  try {
    return parse(records, { ...RULES, delimiter }) as string[][];
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    const fault = QUOTE_FAULTS[cause.code];
    throw corrupt(
      place,
      QUOTES,
      fault ? `cell ${Number(cause.index) + 1} with ${fault}` : cause.message,
      cause,
    );
  }
}

/** Of a row that is not taken for a line of a text. */
const LEAST_CELLS = 4;

interface Table extends Pick<Opening, 'name' | 'decode'> {
  delimiter: string;
  shape: Shape;
  mapping: Mapping;
  /** Whether it has a column of times. */
  isTimed: boolean;
}

/**
 * Two quotes that nobody closed, lines apart, make one cell of all rows between them. In a text of several lines, none has as many cells as
 * the table and a time in the column of times, unless they are few: a line of a log has two or three.
 */
function hiddenRows(record: FileRecord, table: Table) {
  const { name, decode, delimiter, shape, mapping, isTimed } = table;
  // The last row of a file may lack its line end.
  const inside = record.after.line - record.line - (LINE_ENDS.includes(record.bytes.at(-1)!) ? 1 : 0);
  if (inside === 0) return null;
  const at = shape.columns.indexOf(mapping.columnOf('', 'timestamp') ?? '');
  const isRow = (text: string) => {
    const cells = text.replaceAll('"', '').split(delimiter);
    if (cells.length !== shape.columns.length) return false;
    // Many lines of a long text have two or three cells: asking the mapping about each would take longer than all else about a table.
    if (cells.length < LEAST_CELLS && at >= 0 && !/\d/.test(cells[at]!)) return false;
    const row = rowOf(cells, shape, name);
    const events = row instanceof CathedralError ? row : orFault(() => mapping.events(row, () => name));
    if (events instanceof CathedralError) return false;
    return events.some(({ timestamp }) => !isTimed || timestamp !== undefined);
  };
  const [, ...lines] = decode(record)
    .toString()
    .trimEnd()
    .split(/\r\n|\n|\r/);
  const [first, ...others] = lines.flatMap((text, index) => (isRow(text) ? [record.line + 1 + index] : []));
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length, 'more line')}`;
  const found = `it${more} in one cell: a quote may not be closed`;
  return { kind: 'quote' as const, expected: `line ${first} to begin a row`, found };
}

/** The columns of a table, an empty name for one without. */
interface Shape {
  columns: readonly string[];
  /** Of the header. */
  line: number;
  /** Whether every column is read. Otherwise one without a name is as little read as any that the mapping does not name. */
  isWhole: boolean;
}

function rowOf(
  cells: readonly string[],
  { columns, line, isWhole }: Shape,
  place: string,
): Row | CathedralError {
  if (cells.length !== columns.length)
    return corrupt(place, `${counted(columns.length, 'cell')}, as line ${line} has`, `${cells.length}`);
  const row: Record<string, string> = {};
  for (let index = 0; index < columns.length; index += 1) {
    const [column, cell] = [columns[index]!, cells[index]!];
    if (column !== '') row[column] = cell;
    else if (isWhole && cell !== '')
      return corrupt(place, `a name for column ${index + 1} in line ${line}`, 'none');
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
