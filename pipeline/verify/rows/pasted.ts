import type * as z from 'zod/mini';
import type { RowSchema } from '../../artifacts/format/csv.ts';
import type { Hash } from '../../ledger/log/hash.ts';
import { annotationsOf } from '../../words/described.ts';
import { counted } from '../../words/number.ts';
import {
  type Cells,
  cellsAsJson,
  columnNames,
  EXPORT_TABLE,
  type HistoryForm,
  type HistoryTable,
  isLink,
  parseCells,
  ROW_TABLES,
} from './history-tables.ts';
import { csvRows, parsePlainObject } from './row-text.ts';

/** How a row is written. `tsv`: as a spreadsheet copies it. */
type PastedForm = 'csv' | 'tsv' | 'json';

/** The cells of a row as one history has them. */
export interface Candidate {
  table: HistoryTable;
  /** In which its cells are compared. */
  form: HistoryForm;
  /** Those of JSON lines may name its events. */
  cells: Cells;
}

export interface PastedRow {
  kind: 'row';
  form: PastedForm;
  /** The histories that have these columns, at least one. */
  candidates: readonly Candidate[];
}

/** An event, and perhaps a hint where in the log it is. */
export type PastedEvent =
  | { kind: 'number'; index: number }
  | { kind: 'hash'; hash: Hash }
  /** A row of the audited export. */
  | { kind: 'export'; hash: Hash; timestamp: string | null }
  /** A line of the ledger. */
  | { kind: 'line'; line: string; seq: number };

/** The text proves nothing either way. */
export interface Unrecognised {
  kind: 'unknown';
  expected: string;
  found: string;
}

export type Pasted = PastedRow | PastedEvent | Unrecognised;

/** Twice the longest line of a ledger, since a CSV row may double its quotes, and some more. */
const MOST_CHARACTERS = 140_000;
const HASH = /^(?:0x)?([0-9a-f]{64})$/i;
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const EXPECTED =
  'one row of a public history as CSV or JSON, with or without its header, the number, hash or line of an event, or one row of the audit trail’s export';

/** What a reader pasted. Never throws. */
export function readPasted(pasted: string): Pasted {
  if (pasted.length > MOST_CHARACTERS)
    return unknown(EXPECTED, `${pasted.length} characters; for a whole file, choose or drop the file`);
  const text = withoutEnds(pasted);
  if (NUMBER.test(text)) return { kind: 'number', index: Number(text) };
  const hash = HASH.exec(text)?.[1];
  if (hash) return { kind: 'hash', hash: hash.toLowerCase() };
  // A row copied from a JSON file ends with a comma.
  if (text.startsWith('{')) return readObject(text.replace(/,$/, ''));
  return readTable(text);
}

/** A line that was copied from Windows, or from the beginning of a file. */
function withoutEnds(pasted: string): string {
  return pasted
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(/^[ \n]+/, '')
    .trimEnd();
}

function readObject(text: string): Pasted {
  const exported = exportRow(parseCells(EXPORT_TABLE, 'ndjson', text));
  if (exported) return exported;
  const members = parsePlainObject(text);
  if (!members) return unknown(EXPECTED, shorten(text));
  const { seq, salt } = members;
  if (typeof salt === 'string' && Number.isSafeInteger(seq) && (seq as number) >= 0)
    return { kind: 'line', line: text, seq: seq as number };
  const namesEvents = Object.keys(members).some(isLink);
  const candidates = ROW_TABLES.flatMap((table): Candidate[] => {
    // JSON lines name events, and leave lists of objects out.
    const form = table.isCsv || namesEvents ? 'ndjson' : 'json';
    const cells = parseCells(table, form, text);
    return cells ? [{ table, form, cells }] : [];
  });
  return rowOf('json', candidates) ?? otherColumns(Object.keys(members));
}

function readTable(text: string): Pasted {
  if (text === '') return unknown(EXPECTED, 'nothing');
  const form = text.includes('\t') ? 'tsv' : 'csv';
  const rows = csvRows(text, form === 'tsv' ? '\t' : ',');
  if (!rows) return unknown('a row with closed quotes', shorten(text));
  const [first, second] = rows;
  const exported = rows.length === 1 ? exportRow(parseCells(EXPORT_TABLE, 'csv', text)) : null;
  if (exported) return exported;
  const isHeader = first!.length > 1 && first!.every((cell) => /^[a-z][a-z0-9_]*$/.test(cell));
  if (isHeader && rows.length === 1)
    return unknown('a row, below its header if you like', `only a header: ${shorten(text)}`);
  if (rows.length > (isHeader ? 2 : 1))
    return unknown(
      'one row',
      `${counted(rows.length - (isHeader ? 1 : 0), 'row')}; for a whole file, choose or drop the file`,
    );
  const cells = (second ?? first!).map((cell) => cellOf(form, cell));
  if (!isHeader) return readBare(form, cells, text);
  if (first!.length !== cells.length)
    return unknown(
      `a row of ${counted(first!.length, 'cell')}, as its header has`,
      counted(cells.length, 'cell'),
    );
  return readCells(form, first!, cells);
}

function exportRow(row: Cells | null): PastedEvent | null {
  const hash = HASH.exec(row?.attestation_hash ?? '')?.[1];
  if (!hash) return null;
  const timestamp = TIMESTAMP.test(row!.timestamp!) ? row!.timestamp! : null;
  return { kind: 'export', hash: hash.toLowerCase(), timestamp };
}

function rowOf(form: PastedForm, candidates: readonly Candidate[]): PastedRow | null {
  return candidates.length > 0 ? { kind: 'row', form, candidates } : null;
}

function otherColumns(names: readonly string[]): Unrecognised {
  const shown = names.slice(0, 20).map((name) => name.slice(0, 40));
  return unknown(
    'the columns of a public history',
    `${shown.join(', ')}: restricted files, current figures and other releases have other columns; choose or drop the file itself`,
  );
}

/** Cells below a header: the histories with exactly these columns, in any order. */
function readCells(form: 'csv' | 'tsv', names: readonly string[], cells: readonly string[]) {
  const given = Object.fromEntries(names.map((name, at) => [name, cells[at]!]));
  const wanted = names.toSorted().join();
  const tables = ROW_TABLES.filter(
    (table) => table.isCsv && columnNames(table, 'csv').toSorted().join() === wanted,
  );
  return (
    rowOf(
      form,
      tables.map((table) => tableRow(form, table, given)),
    ) ?? otherColumns(names)
  );
}

/** Cells without a header: the histories whose columns they fit. */
function readBare(form: 'csv' | 'tsv', cells: readonly string[], text: string): PastedRow | Unrecognised {
  const candidates = ROW_TABLES.flatMap((table) => {
    if (!table.isCsv) return [];
    const columns = Object.entries((table.artifact.schema as RowSchema).shape);
    const fits = columns.length === cells.length && columns.every(([, one], at) => fitsCell(one, cells[at]!));
    if (!fits) return [];
    return [tableRow(form, table, Object.fromEntries(columns.map(([name], at) => [name, cells[at]!])))];
  });
  return rowOf(form, candidates) ?? unknown(EXPECTED, shorten(text));
}

/** The numbers of a spreadsheet have the digits that it shows, so they are compared as those of JSON are. */
function tableRow(form: 'csv' | 'tsv', table: HistoryTable, cells: Cells): Candidate {
  if (form === 'csv') return { table, form, cells };
  return { table, form: 'ndjson', cells: cellsAsJson(table, cells) };
}

function fitsCell(schema: z.ZodMiniType, cell: string): boolean {
  if (annotationsOf(schema).unit === 'ISO 8601 date-time') return TIMESTAMP.test(cell);
  const values: unknown[] = [cell];
  if (cell === '') values.push(null);
  else if (Number.isFinite(Number(cell))) values.push(Number(cell));
  if (cell === 'true' || cell === 'false') values.push(cell === 'true');
  return values.some((value) => schema.safeParse(value).success);
}

/** A spreadsheet shows times and truth values in its own way. */
function cellOf(form: PastedForm, cell: string): string {
  if (form === 'csv') return cell;
  const time = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)Z?$/.exec(cell);
  if (time) return `${time[1]}T${time[2]!.length === 5 ? `${time[2]}:00` : time[2]}Z`;
  return cell === 'TRUE' || cell === 'FALSE' ? cell.toLowerCase() : cell;
}

function unknown(expected: string, found: string): Unrecognised {
  return { kind: 'unknown', expected, found };
}

function shorten(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
