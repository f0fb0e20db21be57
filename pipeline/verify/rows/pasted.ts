import type { Hash } from '../../ledger/log/hash.ts';
import { parseCsvRow, parseJsonRow, parseObject } from '../audit/export-row.ts';
import { PROVABLE, type ProvableHistory } from './provable-histories.ts';

/** How a row is written. `tsv`: as a spreadsheet copies it. */
export type PastedForm = 'csv' | 'tsv' | 'json';

/** The cells of a row as one history has them. */
export interface Candidate {
  history: ProvableHistory;
  /** By column, as text: a cell of a CSV as it is, a member of a JSON row as JSON. */
  cells: Readonly<Record<string, string>>;
  /** The columns that name its events, of a row of JSON lines, as JSON. */
  links: Readonly<Record<string, string>>;
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

/** Twice the longest line of a ledger, since a CSV row may double its quotes, and some more. */
const MOST_CHARACTERS = 140_000;
const HASH = /^(?:0x)?([0-9a-f]{64})$/i;
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const EXPECTED =
  'one row of a public history as CSV or JSON, with or without its header, the number, hash or line of an event, or one row of the audit trail’s export';

/** What a reader pasted. Never throws. */
export function readPasted(pasted: string): PastedRow | PastedEvent | Unrecognised {
  if (pasted.length > MOST_CHARACTERS)
    return unknown(EXPECTED, `${pasted.length} characters; for a whole file, choose or drop the file`);
  const text = withoutEnds(pasted);
  if (NUMBER.test(text)) return { kind: 'number', index: Number(text) };
  const hash = HASH.exec(text)?.[1];
  if (hash) return { kind: 'hash', hash: hash.toLowerCase() };
  // A row copied from a JSON file ends with a comma.
  if (text.startsWith('{')) return readJson(text.replace(/,$/, ''));
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

function readJson(text: string): PastedRow | PastedEvent | Unrecognised {
  const exported = exportRow(parseJsonRow(text));
  if (exported) return exported;
  const members = parseMembers(text);
  if (!members) return unknown(EXPECTED, shorten(text));
  const { seq, salt } = parseObject(text)!;
  if (typeof salt === 'string' && Number.isSafeInteger(seq) && (seq as number) >= 0)
    return { kind: 'line', line: text, seq: seq as number };
  return readCells('json', members);
}

/** The members of a JSON object as JSON texts, numbers with the digits that they were written with; null if it is not one. */
function parseMembers(text: string): Record<string, string> | null {
  const object = parseObject(text);
  if (!object) return null;
  const digits = new Map<string, string>();
  JSON.parse(text, function (this: unknown, name: string, value: unknown, context?: { source?: string }) {
    if (typeof value === 'number' && context?.source !== undefined && !Array.isArray(this))
      digits.set(name, context.source);
    return value;
  } as (this: unknown, key: string, value: unknown) => unknown);
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      typeof value === 'number' ? numberText(value, digits.get(name)) : canonical(value),
    ]),
  );
}

/** The digits of a number as they were written, if they are its own and not those of an inner member of the same name. */
function numberText(value: number, digits: string | undefined): string {
  return digits !== undefined && Number(digits) === value ? digits : String(value);
}

/** JSON without white space, the members of objects in one order: rows of different formats are compared. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}

function readTable(text: string): PastedRow | PastedEvent | Unrecognised {
  if (text === '') return unknown(EXPECTED, 'nothing');
  const form = text.includes('\t') ? 'tsv' : 'csv';
  const rows = tableRows(text, form === 'tsv' ? '\t' : ',');
  if (!rows) return unknown('a row with closed quotes', shorten(text));
  const [first, second] = rows;
  const exported = rows.length === 1 ? exportRow(parseCsvRow(text)) : null;
  if (exported) return exported;
  const isHeader = first!.length > 1 && first!.every((cell) => /^[a-z][a-z0-9_]*$/.test(cell));
  if (isHeader && rows.length === 1)
    return unknown('a row, below its header if you like', `only a header: ${shorten(text)}`);
  if (rows.length > (isHeader ? 2 : 1))
    return unknown(
      'one row',
      `${rows.length - (isHeader ? 1 : 0)} rows; for a whole file, choose or drop the file`,
    );
  if (isHeader) {
    if (first!.length !== second!.length)
      return unknown(`a row of ${first!.length} cells, as its header has`, `${second!.length} cells`);
    return readCells(form, Object.fromEntries(first!.map((name, at) => [name, cellOf(form, second![at]!)])));
  }
  return readBare(
    form,
    first!.map((cell) => cellOf(form, cell)),
    text,
  );
}

function exportRow(row: ReturnType<typeof parseCsvRow>): PastedEvent | null {
  const hash = HASH.exec(row?.attestation_hash ?? '')?.[1];
  if (!row || !hash) return null;
  const timestamp = TIMESTAMP.test(row.timestamp) ? row.timestamp : null;
  return { kind: 'export', hash: hash.toLowerCase(), timestamp };
}

/** Cells by column: the histories with exactly these columns, and perhaps those that name events. */
function readCells(form: PastedForm, given: Readonly<Record<string, string>>): PastedRow | Unrecognised {
  const candidates = PROVABLE.flatMap((history): Candidate[] => {
    if (history.form === 'json' && form !== 'json') return [];
    const [links, own] = splitBy(given, (name) => history.links.includes(name));
    const names = Object.keys(own).toSorted().join();
    const columns = Object.keys(history.columns).toSorted();
    const isLine = Object.keys(links).length > 0;
    const wanted = isLine ? columns.filter((name) => !history.nested.includes(name)) : columns;
    if (names !== wanted.join()) return [];
    const cells = form === 'json' && history.form === 'csv' ? mapValues(own, cellOfJson) : own;
    return [{ history, cells, links }];
  });
  if (candidates.length > 0) return { kind: 'row', form, candidates };
  const names = Object.keys(given)
    .slice(0, 20)
    .map((name) => name.slice(0, 40));
  return unknown(
    'the columns of a public history',
    `${names.join(', ')}: restricted files, current figures and other releases have other columns; choose or drop the file itself`,
  );
}

type Texts = Readonly<Record<string, string>>;

function splitBy(texts: Texts, isFirst: (name: string) => boolean): [Texts, Texts] {
  const entries = Object.entries(texts);
  return [
    Object.fromEntries(entries.filter(([name]) => isFirst(name))),
    Object.fromEntries(entries.filter(([name]) => !isFirst(name))),
  ];
}

/** A member of an NDJSON row as the cell that the CSV has of it. */
function cellOfJson(member: string): string {
  if (member === 'null') return '';
  return member.startsWith('"') ? (JSON.parse(member) as string) : member;
}

function mapValues(record: Texts, map: (value: string) => string) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** Cells without a header: the histories whose columns they fit. */
function readBare(form: PastedForm, cells: readonly string[], text: string): PastedRow | Unrecognised {
  const candidates = PROVABLE.flatMap((history) => {
    const columns = Object.entries(history.columns);
    const fits =
      history.form === 'csv' &&
      columns.length === cells.length &&
      columns.every(([, schema], at) => fitsCell(schema, cells[at]!));
    return fits
      ? [{ history, cells: Object.fromEntries(columns.map(([name], at) => [name, cells[at]!])), links: {} }]
      : [];
  });
  if (candidates.length > 0) return { kind: 'row', form, candidates };
  return unknown(EXPECTED, shorten(text));
}

function fitsCell(schema: ProvableHistory['columns'][string], cell: string): boolean {
  if (schema.meta()?.unit === 'ISO 8601 date-time') return TIMESTAMP.test(cell);
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

/** Rows as in RFC 4180; null if quotes do not close or something follows them. */
function tableRows(text: string, separator: ',' | '\t'): string[][] | null {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"\\n${separator}][^\\n${separator}]*|))(${separator}|\\n)`,
    'gy',
  );
  const rows: string[][] = [];
  let row: string[] = [];
  let end = 0;
  for (const [all, quoted, plain, ending] of `${text}\n`.matchAll(cell)) {
    end += all.length;
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (ending !== '\n') continue;
    rows.push(row);
    row = [];
  }
  return end === text.length + 1 ? rows : null;
}

function unknown(expected: string, found: string): Unrecognised {
  return { kind: 'unknown', expected, found };
}

function shorten(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
