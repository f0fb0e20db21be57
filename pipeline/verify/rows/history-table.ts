import * as z from 'zod/mini';
import type { HistoryArtifact } from '../../artifacts/artifact.ts';
import { FILES_OF_EVERY_EVENT, typesOf } from '../../artifacts/event-files.ts';
import { plainDigits, type RowSchema } from '../../artifacts/format/csv.ts';
import { EVENT_DATA, type KnownType } from '../../ledger/events/event.ts';
import { isJsonObject, JsonFault, numberText, parseExactJson } from '../../ledger/events/json.ts';
import type { LogRow } from './log-rows.ts';
import { csvCells } from './row-text.ts';

/** The cells of a row as texts, by column: the same text stands for the same cell, however the row is written. */
export type Cells = Readonly<Record<string, string>>;

/**
 * A column of a history’s rows, in all its forms. `objects`: a list of objects, which is in the history’s own file only; `object`: one, which a
 * CSV has as a text of JSON.
 */
interface Column {
  name: string;
  type: 'text' | 'number' | 'boolean' | 'list' | 'objects' | 'object';
}

/** What one row follows from. */
interface RowSource {
  /**
   * A single event; the events of its day; those of one deliberation, from its opening to its close; or all events before it, for which a
   * single row cannot be proved.
   */
  from: 'event' | 'day' | 'deliberation' | 'everything';
  /** Types of these events, if not those of the whole history; `every` for counts of all types. */
  types?: readonly KnownType[] | 'every';
  /** Columns that follow from other events as well, so a row alone does not prove them. */
  beyond?: readonly string[];
}

/** A public history, as its rows are compared. */
export interface HistoryTable {
  artifact: HistoryArtifact;
  row: RowSource;
  path: string;
  /** Its rows as JSON lines: `economy/mic-history.ndjson`. */
  ndjsonPath: string;
  isCsv: boolean;
  columns: readonly Column[];
  /** Columns that identify a row; empty where none do. */
  key: readonly string[];
  /** The column that the rows are ordered by: a time or a day. */
  time: string;
  /** The member that holds the rows of a JSON file. */
  list: string | null;
  /** The types of events that it follows from. */
  types: readonly KnownType[];
}

/** How a file writes the rows of a history. */
export type HistoryForm = 'csv' | 'json' | 'ndjson';

/** Columns of JSON lines that say where in the log the events of a row are. */
const LINK = /^((first|last|opened)_)?event$|^position_events$/;

export function isLink(name: string): boolean {
  return LINK.test(name);
}

export function toTable(artifact: HistoryArtifact, row: RowSource): HistoryTable {
  const { path, tables, separator } = artifact;
  const isCsv = separator === '';
  const shape = (artifact.schema as RowSchema).shape;
  const [list] = isCsv ? [null] : Object.keys(shape).filter((name) => shape[name] instanceof z.ZodMiniArray);
  const rows = list ? ((shape[list] as z.ZodMiniArray).def.element as RowSchema).shape : shape;
  const columns = Object.entries(rows).map(([name, schema]) => ({ name, type: typeOf(schema) }));
  const [{ name, key } = { name: 'export', key: [] }] = tables;
  const names = columns.map((column) => column.name);
  return {
    artifact,
    row,
    path,
    ndjsonPath: `${artifact.area}/${name.replaceAll('_', '-')}.ndjson`,
    isCsv,
    columns,
    key,
    time: ['timestamp', 'closed', 'date'].find((one) => names.includes(one))!,
    list: list ?? null,
    types: FILES_OF_EVERY_EVENT.includes(path) ? (Object.keys(EVENT_DATA) as KnownType[]) : typesOf(artifact),
  };
}

function typeOf(schema: z.ZodMiniType): Column['type'] {
  if (schema instanceof z.ZodMiniNullable) return typeOf(schema.def.innerType as z.ZodMiniType);
  if (schema instanceof z.ZodMiniArray)
    return schema.def.element instanceof z.ZodMiniObject ? 'objects' : 'list';
  if (schema instanceof z.ZodMiniBoolean) return 'boolean';
  return schema instanceof z.ZodMiniNumber ? 'number' : 'text';
}

/** The names of the columns in a form. */
export function columnNames({ columns }: HistoryTable, form: HistoryForm): string[] {
  return columns.filter(({ type }) => form !== 'ndjson' || type !== 'objects').map(({ name }) => name);
}

/** Whether a line without its end is the header of a history’s CSV, with or without quotes. */
export function isHeader(table: HistoryTable, text: string): boolean {
  return table.isCsv && csvCells(text)?.join() === columnNames(table, 'csv').join();
}

/**
 * The cells of a row without its line end, and of JSON lines the events that it names; null if it is no row of the history.
 */
export function parseCells(table: HistoryTable, form: HistoryForm, text: string): Cells | null {
  const names = columnNames(table, form);
  if (form === 'csv') {
    const row = csvCells(text);
    if (row?.length !== names.length) return null;
    const cells = Object.fromEntries(names.map((name, index) => [name, row[index]!]));
    const objects = table.columns.filter(({ type }) => type === 'object');
    return { ...cells, ...Object.fromEntries(objects.map(({ name }) => [name, objectCell(cells[name]!)])) };
  }
  const row = parseExactly(text);
  if (!row) return null;
  const found = Object.keys(row).filter((name) => form !== 'ndjson' || !isLink(name));
  if (found.length !== names.length || names.some((name) => !Object.hasOwn(row, name))) return null;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, canonical(value)]));
}

/** A text that is no JSON, or that readers understand in two ways, is a cell as well. */
function objectCell(text: string): string {
  const value = parseExactly(text);
  return value ? canonical(value) : text;
}

/** A cell of a row that differs. */
export interface Difference {
  column: string;
  expected: string;
  found: string;
}

/** In which columns the cells of a row, in a form, differ from a row of the log. */
export function differencesOf(
  table: HistoryTable,
  form: HistoryForm,
  { row, cells }: { row: Pick<LogRow, 'text' | 'links'>; cells: Cells },
): Difference[] {
  const own = parseCells(table, table.isCsv ? 'csv' : 'json', row.text)!;
  const expected: Cells = {
    ...(form !== 'csv' && table.isCsv ? cellsAsJson(table, own) : own),
    ...(form === 'ndjson' && row.links ? linksOf(table, row.links) : {}),
  };
  return Object.entries(cells)
    .filter(([name, found]) => found !== expected[name] && !(row.links === null && isLink(name)))
    .map(([column, found]) => ({ column, expected: expected[column] ?? '', found }));
}

/** The cells of a CSV as those of JSON lines. */
function cellsAsJson({ columns }: HistoryTable, cells: Cells): Cells {
  return Object.fromEntries(columns.map(({ name, type }) => [name, inJson(cells[name]!, type)]));
}

/** A cell for messages: numbers without their mark, a long text shortened. */
export function shownCell(cell: string): string {
  const text = unmarked(cell).replaceAll(/"#(-?\d[\d.]*|true|false|null)"/g, '$1');
  const short = text.length > 120 ? `${text.slice(0, 80)} … ${text.slice(-30)}` : text;
  // Otherwise nobody would see what differs.
  if (short !== short.trim()) return JSON.stringify(short);
  return short === '' ? 'nothing' : short;
}

function inJson(cell: string, type: Column['type']): string {
  if (type === 'object') return cell;
  if (type === 'text') return textCell(cell);
  if (cell === '') return marked('null');
  return type === 'number' ? numeral(cell) : marked(cell);
}

/** The events that a row of JSON lines names, by column. */
export function linksIn(cells: Cells): Cells {
  return Object.fromEntries(Object.entries(cells).filter(([name]) => isLink(name)));
}

/** The same of a row of the log: the last column may have a list. */
function linksOf({ artifact }: HistoryTable, events: readonly number[]): Cells {
  const shape = artifact.line?.shape ?? {};
  const names = Object.keys(shape).filter(isLink);
  const cells = events.map((event) => numeral(`${event}`));
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      shape[name] instanceof z.ZodMiniArray ? canonical(cells.slice(index)) : (cells[index] ?? ''),
    ]),
  );
}

/** What is no text, so that the text of the same characters is another cell. */
function marked(value: string): string {
  return `${MARK}${value}`;
}

/** A text that begins with the mark gets another one. */
function textCell(text: string): string {
  return text.startsWith(MARK) ? marked(text) : text;
}

/** A number, as every format writes it. */
function numeral(digits: string): string {
  return marked(plainDigits(digits));
}

/** The text of a cell without its mark. */
export function unmarked(cell: string): string {
  return cell.startsWith(MARK) ? cell.slice(MARK.length) : cell;
}

const MARK = '#';

/**
 * Numbers keep their digits: a double would change an amount of more than fifteen. Null for what is no row, as one that is too deep or has a
 * member twice, of which programs read one or the other, or a number beyond a double, which they read as infinity.
 */
function parseExactly(text: string): Record<string, unknown> | null {
  try {
    const value = parseExactJson(text);
    return isJsonObject(value) && hasFiniteNumbers(value)
      ? (withCells(value) as Record<string, unknown>)
      : null;
  } catch (fault) {
    if (fault instanceof JsonFault) return null;
    throw fault;
  }
}

function hasFiniteNumbers(value: unknown): boolean {
  const digits = numberText(value);
  if (digits !== undefined) return Number.isFinite(Number(digits));
  return typeof value !== 'object' || value === null || Object.values(value).every(hasFiniteNumbers);
}

function withCells(value: unknown): unknown {
  const digits = numberText(value);
  if (digits !== undefined) return numeral(digits);
  if (typeof value === 'string') return textCell(value);
  if (typeof value !== 'object' || value === null) return marked(`${value}`);
  if (Array.isArray(value)) return value.map(withCells);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withCells(member)]));
}

/** White space and the order of members make no difference. */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return value;
  const json = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
  return marked(json);
}
