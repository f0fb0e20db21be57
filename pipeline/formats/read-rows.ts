import type { Artifact } from '../artifacts/artifact.ts';
import { CathedralError } from '../errors.ts';
import { numberText, parseExactJson } from '../ledger/events/json.ts';
import { formatAmount, parseAmount } from '../model/amount.ts';
import { counted } from '../words/number.ts';
import type { Column, ColumnType, Place, Row, Value } from './columns.ts';
import { csvCells, firstLines } from './csv-cells.ts';

/** What reading the rows of a table needs to know of it: as data, so that a page can tell its worker. */
export interface ReadableTable extends Place {
  artifact: Pick<Artifact, 'path' | 'mediaType'>;
  columns: readonly Pick<Column, 'name' | 'type' | 'nullable'>[];
}

/** A number of a JSON text with all its digits. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** All rows of a published file, in its order: a JSON file, or a CSV file with its header. */
export function readTable(table: ReadableTable, text: string): Row[] {
  if (table.artifact.mediaType !== 'application/json')
    return readCsvRows(table, text.slice(text.indexOf('\n') + 1));
  return locate(withDigits(parseExactJson(text)), table).map((row) => readObject(table, row));
}

/** The rows of a segment of a history, in its order, at most `most`: rows without the text around them. */
export function readPiece(table: ReadableTable, text: string, most?: number): Row[] {
  if (table.artifact.mediaType !== 'application/json') return readCsvRows(table, text, most);
  // A row is a line. Between two of them is a comma.
  const lines = most === undefined ? text : firstLines(text, most).replace(/,\n$/, '');
  const rows = withDigits(parseExactJson(`[${lines}]`)) as Record<string, unknown>[];
  return rows.map((row) => readObject(table, row));
}

/** A segment as pieces of that many rows, in its order; as one where a cell may contain a line end. */
export function splitPiece(
  { artifact }: Pick<ReadableTable, 'artifact'>,
  text: string,
  rows: number,
): string[] {
  const isJson = artifact.mediaType === 'application/json';
  if (!isJson && text.includes('"')) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = at;
    for (let count = 0; count < rows && end < text.length; count += 1)
      end = text.indexOf('\n', end) + 1 || text.length;
    const piece = text.slice(at, end);
    pieces.push(isJson ? piece.replace(/,\n$/, '') : piece);
    at = end;
  }
  return pieces;
}

function readCsvRows({ columns, artifact: { path } }: ReadableTable, text: string, most?: number): Row[] {
  const readers = columns.map(({ type }) => FROM_CELL[type]);
  return csvCells(text, most).map((cells) => {
    if (cells.length !== columns.length) {
      const expected = counted(columns.length, 'cell');
      throw new CathedralError('artifact_invalid', { place: path, expected, found: `${cells.length}` });
    }
    return cells.map((cell, index) =>
      cell === '' && columns[index]!.nullable ? null : readers[index]!(cell),
    );
  });
}

const asText = (cell: string): Value => cell;
const FROM_CELL: Record<ColumnType, (cell: string) => Value> = {
  text: asText,
  // As everywhere but in CSV, without zeros at the end.
  decimal: (cell) => formatAmount(parseAmount(cell)),
  datetime: asText,
  date: asText,
  integer: Number,
  number: Number,
  boolean: (cell) => cell === 'true',
  list: (cell) => JSON.parse(cell) as unknown[],
  integers: (cell) => JSON.parse(cell) as number[],
};

/** A value of `parseExactJson`: a double would change an amount of more than fifteen digits. */
function withDigits(value: unknown): unknown {
  const digits = numberText(value);
  if (digits !== undefined) return new Digits(digits);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withDigits);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withDigits(member)]));
}

type Members = Record<string, unknown>;

/** The rows at a table's place, each with the columns that come from around it. */
function locate(document: unknown, { from, named, parent }: Place): Members[] {
  let rows: Members[] = [document as Members];
  const steps = from === '' ? [] : from.split('.');
  for (const [index, step] of steps.entries()) {
    const isInner = index > 0 && step.endsWith('[]');
    rows = rows.flatMap((row) => {
      if (step === '<name>')
        return Object.entries(row).map(([name, one]) => ({ [named!]: name, ...(one as Members) }));
      const member = row[step.replace('[]', '')];
      const list = (step.endsWith('[]') ? member : [member]) as Members[];
      return isInner && parent ? list.map((one) => ({ [parent.column]: row[parent.member], ...one })) : list;
    });
  }
  return rows;
}

function readObject({ columns }: Pick<ReadableTable, 'columns'>, row: Members): Row {
  return columns.map((column) => readMember(column, memberOf(row, column.name)));
}

/** `performance_gi_score` is the member of that name, or `gi_score` in `performance`. */
function memberOf(row: Members, name: string): unknown {
  if (Object.hasOwn(row, name)) return row[name];
  for (let at = name.indexOf('_'); at > 0; at = name.indexOf('_', at + 1)) {
    const inner = row[name.slice(0, at)];
    if (typeof inner === 'object' && inner !== null) return memberOf(inner as Members, name.slice(at + 1));
  }
  return undefined;
}

function readMember({ type }: Pick<Column, 'type'>, value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (value instanceof Digits) return type === 'decimal' ? value.text : Number(value.text);
  if (type === 'list' || type === 'integers') return [value].flat().map(withNumbers);
  return value as Value;
}

function withNumbers(value: unknown): unknown {
  return value instanceof Digits ? Number(value.text) : value;
}
