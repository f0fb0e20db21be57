import type { Artifact } from '../artifacts/artifact.ts';
import { eventFieldsOf, type Field, fieldsOf } from '../artifacts/data-dictionary.ts';
import { AMOUNT_UNIT } from '../artifacts/format/csv.ts';

/**
 * decimal: a number that keeps exactly the digits it was written with; datetime: ISO 8601, UTC; date: YYYY-MM-DD; list: an
 * array, usually of texts; integers: one of integers.
 */
export type ColumnType =
  | 'text'
  | 'integer'
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'datetime'
  | 'date'
  | 'list'
  | 'integers';

export interface Column extends Pick<Field, 'description' | 'unit' | 'range' | 'formula'> {
  name: string;
  type: ColumnType;
  /** Whether a cell may be empty. */
  nullable: boolean;
}

/** A cell: decimals, dates and date-times as the text that is published, lists as arrays; null if it is empty. */
export type Value = string | number | boolean | null | readonly unknown[];

/** Cells in the order of the table's columns. */
export type Row = readonly Value[];

/** Types that follow from the unit alone. */
const BY_UNIT: Readonly<Record<string, ColumnType>> = {
  'ISO 8601 date-time': 'datetime',
  'YYYY-MM-DD': 'date',
  [AMOUNT_UNIT]: 'decimal',
};

const BY_TYPE: Readonly<Record<string, ColumnType>> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
};

/** The place of a table's rows in its file, see `TABLES`. */
export interface Place {
  from: string;
  named: string | null;
  parent: { column: string; member: string } | null;
}

/**
 * The columns of the rows at a place of a file, from the data dictionary: the members of a row and of the objects in it
 * (`performance.gi_score` → `performance_gi_score`). A list of objects is a table of its own, so it gives no column.
 */
export function columnsOf(
  artifact: Artifact,
  { from, named, parent }: Place,
): { columns: Column[]; description: string } {
  const fields = fieldsOf(artifact);
  const prefix = prefixOf(fields, from);
  const nullable = artifact.kind !== 'history';
  const own = fields
    .filter(({ name, type }) => isColumn(name, type, prefix))
    .map((field) => toColumn(field, prefix, nullable));
  const outer = parent && fields.find(({ name }) => name === `${outerOf(from)}.${parent.member}`);
  const columns = [
    ...(parent && outer ? [{ ...toColumn(outer, '', false), name: parent.column }] : []),
    ...(named ? [nameColumn(named)] : []),
    ...own,
  ];
  return { columns, description: fields.find(({ name }) => name === listOf(from))?.description ?? '' };
}

/** The columns that the rows of a history have in JSON lines, Parquet and SQLite besides its own: the events that a row follows from. */
export function eventColumnsOf(artifact: Artifact): Column[] {
  return eventFieldsOf(artifact).map((field) => toColumn(field, '', false));
}

/** Where the schema names each member itself, the first of them stands for all. */
function prefixOf(fields: readonly Field[], from: string): string {
  if (from === '') return '';
  if (fields.some(({ name }) => name.startsWith(`${from}.`))) return `${from}.`;
  const object = from.replace(/<name>$/, '');
  const first = fields.find(({ name }) => name.startsWith(object))?.name ?? '';
  return `${first}.`;
}

function isColumn(name: string, type: string, prefix: string): boolean {
  if (!name.startsWith(prefix)) return false;
  const rest = name.slice(prefix.length);
  return !/\[\]|<name>/.test(rest) && !/^object\b|^array of object\b/.test(type);
}

function toColumn(field: Field, prefix: string, nullable: boolean): Column {
  const { name, type, unit, description, range, formula } = field;
  const [plain = '', ...others] = type.split(' or ').filter((one) => one !== 'null');
  return {
    name: name.slice(prefix.length).replaceAll('.', '_'),
    type: typeOf(plain, others.length > 0, unit),
    nullable: nullable || type.includes('null'),
    description,
    unit,
    range,
    formula,
  };
}

function typeOf(type: string, hasOthers: boolean, unit: string): ColumnType {
  if (type === 'array of integer') return 'integers';
  return hasOthers || type.startsWith('array') ? 'list' : (BY_UNIT[unit] ?? BY_TYPE[type] ?? 'text');
}

function nameColumn(name: string): Column {
  const description = `Name of the ${name}`;
  return { name, type: 'text', nullable: false, description, unit: '', range: '', formula: '' };
}

/** `deliberations[].sentinels[]` → `deliberations[]`. */
function outerOf(from: string): string {
  return from.slice(0, from.lastIndexOf('.'));
}

/** `sentinels[]` → `sentinels`, `by_cathedral.<name>` → `by_cathedral`. */
function listOf(from: string): string {
  return from.replace(/(\[\]|\.<name>)$/, '');
}
