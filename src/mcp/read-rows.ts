import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Column, Row, Value } from '../../pipeline/forms/columns.ts';
import { readTable } from '../../pipeline/forms/read-rows.ts';
import type { Table } from '../../pipeline/forms/tables.ts';
import { parseAmount } from '../../pipeline/model/amount.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { FilePath, knownFile, tablesOf } from './find-files.ts';
import type { OpenRelease, ReadFile } from './held-release.ts';
import { Provenance, provenanceOf } from './provenance.ts';
import { defineTool } from './tool.ts';
import { ToolError } from './tool-error.ts';

/** A model reads no more at once; the rest is on further pages. In characters of JSON. */
export const MOST_ANSWER = 100_000;
const MOST_ROWS = 500;
/** After so many rows other calls get a turn. */
const TURN_ROWS = 5000;

export const AsOf = z.string().max(40).optional().meta({
  description:
    'The version at this time: a date (the end of that day in UTC), a time such as 2026-06-10T08:13:00Z, or the id of a snapshot such as 2026-06-10T06Z. Without it, the newest release',
});

const OPERATORS = {
  eq: (order: number) => order === 0,
  ne: (order: number) => order !== 0,
  lt: (order: number) => order < 0,
  le: (order: number) => order <= 0,
  gt: (order: number) => order > 0,
  ge: (order: number) => order >= 0,
} as const;

const Filter = z.strictObject({
  column: z.string().max(100),
  op: z.enum(['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'contains']).meta({
    description: 'contains: a part of a text in any case, or an element of a list',
  }),
  value: z.union([z.string().max(500), z.number(), z.boolean()]).meta({
    description: 'Dates as YYYY-MM-DD, times as in the file. Amounts may be text, so that no digit is lost',
  }),
});
type Filter = z.output<typeof Filter>;

const Query = z.strictObject({
  path: FilePath,
  table: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'For a file with several tables, see describe_file' }),
  columns: z.array(z.string().max(100)).max(100).optional().meta({ description: 'Default: all' }),
  filters: z.array(Filter).max(20).default([]).meta({ description: 'A row must pass all of them' }),
  order: z
    .strictObject({ column: z.string().max(100), descending: z.boolean().default(false) })
    .optional()
    .meta({ description: 'Default: as in the file. Histories have their newest row first' }),
  limit: z.int().min(1).max(MOST_ROWS).default(50),
  as_of: AsOf,
  cursor: z.string().max(500).optional().meta({
    description:
      'next_cursor of the previous page, with the same other arguments. It stays with the version of that page',
  }),
});
type Query = z.output<typeof Query>;

/** Decimals stay text, with all their digits. */
const Cell = z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.unknown())]);

export const readRows = defineTool({
  name: 'read_rows',
  title: 'Read rows',
  description:
    'Reads rows of a table: chosen columns, filtered, ordered, a page at a time, as published now or at an earlier time. Amounts of MIC are text with exact digits. Says from which snapshot it read and the SHA-256 of the file.',
  input: Query,
  output: z.strictObject({
    table: z.string(),
    columns: z.array(z.strictObject({ name: z.string(), type: z.string(), unit: z.string() })),
    rows: z.array(z.array(Cell)).meta({ description: 'Cells in the order of the columns' }),
    matched: z.int().meta({ description: 'Rows that pass the filters, on all pages' }),
    total: z.int().meta({ description: 'Rows of the table' }),
    next_cursor: z.string().nullable(),
    source: Provenance,
  }),
  run: async (query, { held, count, signal }) =>
    held.read(async (release) => {
      const { artifact } = knownFile(release, query.path);
      const table = tableOf(artifact.path, tablesOf(artifact), query.table);
      const columns = (query.columns ?? table.columns.map(({ name }) => name)).map((name) =>
        columnAt(table, name),
      );
      const tests = query.filters.map((filter) => testOf(table, filter));
      const order = query.order && { ...query.order, at: columnAt(table, query.order.column) };
      const cursor = query.cursor === undefined ? null : parseCursor(query.cursor, query);
      await count(artifact.area);
      const file = await fileOf(release, query, cursor);
      signal.throwIfAborted();
      const all = readTable(table, file.text);
      const found: Row[] = [];
      for (const [index, row] of all.entries()) {
        if (tests.every((test) => test(row))) found.push(row);
        if (index % TURN_ROWS === TURN_ROWS - 1) await turn(signal);
      }
      if (order) sortRows(found, order.at, order.descending);
      const from = cursor?.offset ?? 0;
      const chosen = found
        .slice(from, from + query.limit)
        .map((row) => columns.map(({ index }) => row[index]!));
      const rows = thatFit(chosen);
      const end = from + rows.length;
      const next = end < found.length ? formatCursor({ ...file, offset: end }, query) : null;
      const source = await provenanceOf(release, artifact, file);
      const shown =
        rows.length === found.length ? '' : `, rows ${from + 1} to ${end} of ${found.length} here`;
      const when = source.as_of === null ? `of the snapshot ${file.snapshot}` : `as of ${source.as_of}`;
      return {
        text: `${formatCount(found.length, 'row')} of ${file.path} ${when}${shown}. ${source.permanent_address ?? ''}`.trim(),
        value: {
          table: table.name,
          columns: columns.map(({ column: { name, type, unit } }) => ({ name, type, unit })),
          rows: rows as z.input<typeof Cell>[][],
          matched: found.length,
          total: all.length,
          next_cursor: next,
          source,
        },
      };
    }),
});

function tableOf(path: string, tables: readonly Table[], name: string | undefined): Table {
  const names = tables.map((table) => table.name).join(', ');
  if (tables.length === 0)
    throw new ToolError(`${path} has no table. read_values reads the members of a JSON file.`);
  if (name === undefined) return tables[0]!;
  const found = tables.find((table) => table.name === name);
  if (found) return found;
  throw new ToolError(`table: ${path} has ${names}, not ${JSON.stringify(name)}.`);
}

interface Placed {
  column: Column;
  index: number;
}

function columnAt({ columns, name }: Table, given: string): Placed {
  const index = columns.findIndex((column) => column.name === given);
  if (index >= 0) return { column: columns[index]!, index };
  const names = columns.map((column) => column.name).join(', ');
  throw new ToolError(`The table ${name} has no column ${JSON.stringify(given)}. Its columns: ${names}.`);
}

function testOf(table: Table, { column: name, op, value }: Filter): (row: Row) => boolean {
  const { column, index } = columnAt(table, name);
  if (op === 'contains') {
    const wanted = String(value).toLowerCase();
    return (row) => {
      const cell = row[index]!;
      if (Array.isArray(cell)) return cell.some((one) => String(one).toLowerCase() === wanted);
      return cell !== null && String(cell).toLowerCase().includes(wanted);
    };
  }
  if (/^(list|integers)$/.test(column.type))
    throw new ToolError(`filters: ${name} has lists, which take the op "contains" only.`);
  const wanted = cellOf(column, value);
  const isWanted = OPERATORS[op];
  return (row) => {
    const cell = row[index]!;
    return cell === null ? false : isWanted(compareValues(column, cell, wanted));
  };
}

const PATTERNS: Partial<Record<Column['type'], readonly [RegExp, string]>> = {
  integer: [/^-?\d{1,15}$/, 'a whole number'],
  number: [/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i, 'a number'],
  decimal: [/^-?\d+(\.\d{1,6})?$/, 'a number with at most six decimal places'],
  boolean: [/^(true|false)$/, 'true or false'],
  date: [/^\d{4}-\d\d-\d\d$/, 'a date as YYYY-MM-DD'],
  datetime: [/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/, 'a time as 2026-06-10T08:13:00Z, or a date'],
};

/** The value as cells of the column have it. Throws a ToolError. */
function cellOf({ name, type }: Column, value: string | number | boolean): Value {
  const text = String(value);
  const [pattern, expected] = PATTERNS[type] ?? [/^/, ''];
  if (!pattern.test(text))
    throw new ToolError(`filters: ${name} takes ${expected}, found ${JSON.stringify(text.slice(0, 80))}.`);
  if (type === 'integer' || type === 'number') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}

/** Decimals by all of their digits; texts, dates and times as texts, which orders UTC times. */
function compareValues({ type }: Column, one: Value, other: Value): number {
  const [a, b] = type === 'decimal' ? [parseAmount(String(one)), parseAmount(String(other))] : [one!, other!];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Empty cells last, whatever the direction. Equal rows keep the order of the file. */
function sortRows(rows: Row[], { column, index }: Placed, descending: boolean): void {
  rows.sort((one, other) => {
    const [a, b] = [one[index]!, other[index]!];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return descending ? compareValues(column, b, a) : compareValues(column, a, b);
  });
}

/** As many rows as fit into an answer, and at least one, so that the next page makes progress. */
function thatFit(rows: readonly Value[][]): Value[][] {
  let characters = 0;
  const end = rows.findIndex((row, index) => {
    characters += JSON.stringify(row).length;
    return characters > MOST_ANSWER && index > 0;
  });
  return end < 0 ? [...rows] : rows.slice(0, end);
}

async function turn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

interface Cursor extends Pick<ReadFile, 'snapshot' | 'sha256'> {
  offset: number;
}

const CursorText = z.tuple([z.string(), z.string(), z.int().min(1), z.string()]);

/** A page belongs to one version of the file and one query. */
function formatCursor({ snapshot, sha256, offset }: Cursor, query: Query): string {
  return Buffer.from(JSON.stringify([snapshot, sha256, offset, digestOf(query)])).toString('base64url');
}

function parseCursor(text: string, query: Query): Cursor {
  const [snapshot, sha256, offset, digest] = readCursor(text);
  if (digest === digestOf(query)) return { snapshot, sha256, offset };
  throw new ToolError(
    'cursor: it belongs to another query. Repeat the arguments of the previous page, except limit, or leave the cursor out.',
  );
}

function readCursor(text: string): z.output<typeof CursorText> {
  try {
    return CursorText.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw new ToolError('cursor: expected the next_cursor of an earlier answer.');
  }
}

function digestOf({ path, table, columns, filters, order, as_of }: Query): string {
  const query = JSON.stringify([path, table, columns, filters, order, as_of]);
  return createHash('sha256').update(query).digest('hex').slice(0, 16);
}

/** A page continues in its version, also once there is a newer release. */
async function fileOf(
  release: OpenRelease,
  { path, as_of }: Query,
  cursor: Cursor | null,
): Promise<ReadFile> {
  const { file: known } = knownFile(release, path);
  if (cursor === null || (as_of === undefined && known.sha256 === cursor.sha256))
    return release.read(known.path, as_of);
  const file = await release.read(known.path, cursor.snapshot);
  if (file.sha256 === cursor.sha256) return file;
  throw new ToolError(
    'cursor: the version of the previous page is not kept. Leave the cursor out to begin again.',
  );
}
