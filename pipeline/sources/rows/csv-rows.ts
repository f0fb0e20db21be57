import { CsvError, parse } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
import { CathedralError } from '../../errors.ts';
import { MAX_INPUT_LINE, tooLong } from './json-events.ts';
import type { Row } from './mapping.ts';
import { peekLine } from './utf8-chunks.ts';

/** A row and the line of its file where it begins. */
export interface CsvRow {
  line: number;
  row: Row;
  /** Why the row cannot be used: it has other cells than the header. */
  fault?: CathedralError;
}

export interface CsvTable {
  columns: readonly string[];
  /** Line of the header. */
  line: number;
  /** The rows below the header, in batches. Throws `ledger_corrupt` for quotes that do not close, and what the chunks throw. */
  rows: AsyncGenerator<CsvRow[]>;
}

/**
 * A CSV table (RFC 4180, with any line end): comma, semicolon or tab, by its first line or as given. Its first line names the columns.
 * Throws `ledger_corrupt`.
 */
export async function readCsv(
  chunks: AsyncGenerator<Buffer>,
  name: string,
  { delimiter, header: headerLine = 1 }: { delimiter?: string | undefined; header?: number | undefined } = {},
): Promise<CsvTable> {
  const skipped = headerLine - 1;
  const { start, content } = await peekLine(skipped === 0 ? chunks : withoutLines(chunks, skipped));
  const sep = SEP.exec(start)?.[1];
  const batches = recordsOf(content, name, delimiter ?? delimiterOf(start), skipped);
  const first: CsvRecord[] = [];
  const headers = sep === undefined ? 1 : 2;
  while (first.length < headers) {
    const step = await batches.next();
    if (step.done)
      throw corrupt(
        name,
        `a line with the names of columns${skipped === 0 ? '' : ` from line ${headerLine} on`}`,
        'no line',
      );
    first.push(...step.value);
  }
  const header = first[headers - 1]!;
  const columns = columnsOf(header, name);
  const rowOfRecord = (record: CsvRecord) => rowOf(record, columns, name);
  async function* rows(): AsyncGenerator<CsvRow[]> {
    yield first.slice(headers).map(rowOfRecord);
    for await (const batch of batches) yield batch.map(rowOfRecord);
  }
  return { columns: columns.filter((column) => column !== ''), line: header.line, rows: rows() };
}

/** The content after some lines of titles, in which quotes mean nothing. */
async function* withoutLines(chunks: AsyncGenerator<Buffer>, lines: number): AsyncGenerator<Buffer> {
  let left = lines;
  for await (const chunk of chunks) {
    let start = 0;
    for (; left > 0; left -= 1) {
      const end = chunk.indexOf('\n', start);
      if (end < 0) break;
      start = end + 1;
    }
    if (left === 0 && start < chunk.length) yield chunk.subarray(start);
  }
}

/** The columns of a header; an empty name where it has none. Throws `ledger_corrupt` for a name that it has twice. */
export function columnsOf({ cells, line }: CsvRecord, name: string): string[] {
  const columns = cells.map((cell) => cell.trim());
  const twice = columns.find((column, index) => column !== '' && columns.indexOf(column) !== index);
  if (twice === undefined) return columns;
  throw corrupt(`${name}:${line}`, 'each column once', `${JSON.stringify(twice)} twice`);
}

/** Excel's own first line, `sep=;`, which other programs would take for the header. */
const SEP = /^sep=(.)[\r\n]/;

/** What separates the names of columns: the one of three that occurs most often outside quotes. */
export function delimiterOf(start: string): string {
  const sep = SEP.exec(start)?.[1];
  if (sep !== undefined) return sep;
  const [line = ''] = start.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const count = (character: string) => line.split(character).length;
  return [',', ';', '\t'].reduce((most, one) => (count(one) > count(most) ? one : most));
}

export interface CsvRecord {
  cells: string[];
  line: number;
}

const RULES = {
  // Also a file whose parts have different line ends.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  max_record_size: MAX_INPUT_LINE,
};

/** The cells of whole records. Throws `ledger_corrupt`; `place` names the first of them. */
export function parseCells(records: Buffer, delimiter: string, place: string): string[][] {
  try {
    return parseSync(records, { ...RULES, delimiter }) as string[][];
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw corrupt(place, QUOTES, cause.message.replace(/ at line \d+/, ''), cause);
  }
}

/** The records of each chunk. Those before a wrong one come first. */
async function* recordsOf(
  content: AsyncGenerator<Buffer>,
  name: string,
  delimiter: string,
  skipped: number,
): AsyncGenerator<CsvRecord[]> {
  const lines = new LineCounter();
  let records: CsvRecord[] = [];
  const parser = parse({
    ...RULES,
    delimiter,
    // Spreadsheets save rows that were cleared, or only have a format, as separators.
    skip_records_with_empty_values: true,
    // Nothing goes through the stream's own queue, which costs as much as parsing and is lost at an error.
    on_record(cells: string[], info) {
      records.push({ cells, line: skipped + lines.next(cells, info) });
      return null;
    },
  });
  // Each call gets its own error as well.
  parser.on('error', () => undefined).resume();
  const taken = () => {
    const own = records;
    records = [];
    return own;
  };
  const done = async (step: (then: (error?: Error | null) => void) => void) => {
    const error = await new Promise<Error | null>((resolve) => step((failure) => resolve(failure ?? null)));
    if (error instanceof CsvError) return csvFault(error, name, lines.twice - skipped);
    if (error) throw error;
    return null;
  };
  try {
    for await (const chunk of content) {
      const fault = await done((then) => parser.write(chunk, then));
      if (records.length > 0) yield taken();
      if (fault) throw fault;
    }
    const fault = await done((then) => {
      parser.once('error', then);
      parser.end(() => then());
    });
    if (records.length > 0) yield taken();
    if (fault) throw fault;
  } finally {
    parser.destroy();
  }
}

/** Finds where records begin. The parser counts lines at their end, and a CRLF inside of quotes as two. */
class LineCounter {
  /** Number of lines that the parser counted twice. */
  twice = 0;
  #last = 0;

  next(cells: readonly string[], { lines, empty_lines }: { lines: number; empty_lines: number }): number {
    let inside = 0;
    if (lines - empty_lines - this.#last > 1) {
      for (const cell of cells) {
        inside += cell.split(/\r\n|\r|\n/).length - 1;
        this.twice += cell.split('\r\n').length - 1;
      }
    }
    this.#last = lines - empty_lines;
    return lines - this.twice - inside;
  }
}

const QUOTES = 'CSV with quotes around the whole cell, and two for one inside of it';

function csvFault(cause: CsvError, name: string, twice: number): CathedralError {
  const place = `${name}:${(cause.lines as number) - twice}`;
  if (cause.code === 'CSV_MAX_RECORD_SIZE')
    return tooLong(`${place} or before, where a quote may not be closed`);
  return corrupt(place, QUOTES, cause.message.replace(/ at line \d+/, ''), cause);
}

export function rowOf({ cells, line }: CsvRecord, columns: readonly string[], name: string): CsvRow {
  const row: Record<string, string> = {};
  const fault = (expected: string, found: string) =>
    ({ line, row, fault: corrupt(`${name}:${line}`, expected, found) }) satisfies CsvRow;
  if (cells.length !== columns.length)
    return fault(`${columns.length} cells, as the first line has`, `${cells.length}`);
  for (let index = 0; index < columns.length; index += 1) {
    const [column, cell] = [columns[index]!, cells[index]!];
    if (column !== '') row[column] = cell;
    else if (cell !== '') return fault(`a name for column ${index + 1} in the first line`, 'none');
  }
  return { line, row };
}

function corrupt(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('ledger_corrupt', { place, expected, found, cause });
}
