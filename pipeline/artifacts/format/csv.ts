import type * as z from 'zod/mini';
import { csvRow } from '#csv-row';
import { CathedralError } from '../../errors.ts';
import { formatAllPlaces, parseAmount } from '../../model/amount.ts';
import { annotationsOf } from '../../words/described.ts';
import type { Cell } from './csv-row.ts';

export type { Cell };
export { csvRow };

/** A bigint is an amount in 1e-6 MIC. Null is an empty cell. */
export type CellValue = Cell | bigint | boolean | null;
export type RowSchema = z.ZodMiniObject<Record<string, z.ZodMiniType>>;

/** The header row: the members of the row's schema, in their order. */
export function csvHeader(schema: RowSchema): string {
  return csvRow(Object.keys(schema.shape));
}

/**
 * A value as the cell of a column: of its form alone, whatever the other cells hold. Programs infer a column's type from its first rows,
 * so a decimal always has a point (`2.0`) and an amount all six places; neither is rounded.
 */
export function formatCell(value: CellValue, type: string): string {
  if (value === null || value === '') return '';
  if (type === 'decimal')
    return formatAllPlaces(typeof value === 'bigint' ? value : parseAmount(String(value)));
  return type === 'number' && typeof value === 'number' ? withPoint(value) : String(value);
}

/** `2` → `2.0`, `1e-7` → `0.0000001`; all digits that a double needs to be read back. */
function withPoint(value: number): string {
  const text = String(value);
  if (!Number.isFinite(value) || /^-?\d+\.\d+$/.test(text)) return text;
  if (Number.isInteger(value)) return `${BigInt(value)}.0`;
  const [, sign, digits, exponent] = /^(-?)([\d.]+)e-(\d+)$/.exec(text)!;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digits!.replace('.', '')}`;
}

/** A number of any spelling as other formats write it: `812.500000` → `812.5`. */
export function plainDigits(text: string): string {
  const digits = /e/i.test(text) ? withPoint(Number(text)) : text;
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits;
}

export const AMOUNT_UNIT = 'MIC, exact to 6 decimal places';

/** By the definition, not the class and not its `isInt`: pages that write CSV load no more of zod for it. */
function cellType(schema: z.ZodMiniType): string {
  if (schema.def.type === 'nullable')
    return cellType((schema as z.ZodMiniNullable<z.ZodMiniType>).def.innerType);
  if (schema.def.type !== 'number' || isWhole(schema)) return '';
  return annotationsOf(schema).unit === AMOUNT_UNIT ? 'decimal' : 'number';
}

/** `z.int()`, or a number with the check of one. */
function isWhole({ def }: z.ZodMiniType): boolean {
  const checks = (def.checks ?? []).map((check) => check._zod.def);
  return [def, ...checks].some((one) => 'format' in one && /int/.test(String(one.format)));
}

const columnsOf = new WeakMap<RowSchema, (readonly [name: string, type: string])[]>();

/** One row of a schema, its columns in their order. */
export function formatRow(schema: RowSchema, row: Readonly<Record<string, CellValue>>): string {
  let columns = columnsOf.get(schema);
  if (!columns) {
    columns = Object.entries(schema.shape).map(([name, column]) => [name, cellType(column)] as const);
    columnsOf.set(schema, columns);
  }
  return csvRow(columns.map(([name, type]) => formatCell(row[name]!, type)));
}

/** A whole file with its header. Throws artifact_invalid with the row that does not fit the schema. */
export function formatCsv(schema: RowSchema, rows: readonly Record<string, Cell>[], place: string): string {
  for (const [index, row] of rows.entries()) {
    const { error } = schema.safeParse(row);
    if (error) throw invalidRow(`${place}:${index + 2}`, error, row);
  }
  return csvHeader(schema) + rows.map((row) => formatRow(schema, row)).join('');
}

export function invalidRow(place: string, error: z.core.$ZodError, row: unknown): CathedralError {
  const [issue] = error.issues;
  return new CathedralError('artifact_invalid', {
    place: `${place} ${issue?.path.join('.') ?? ''}`.trimEnd(),
    expected: issue?.message ?? 'a row of its schema',
    found: JSON.stringify(row),
  });
}

/** Text that no spreadsheet runs as a formula: it does not begin with = + - @, a tab or a line end. */
export const INERT_TEXT = /^[^=+\-@\t\r\n]/;

/** Text that a spreadsheet would run as a formula (OWASP, CSV injection), except numbers. */
const FORMULA = /^(?![-+]?\d+(\.\d+)?(e[-+]?\d+)?$)[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/i;

/** Any text as a cell. An apostrophe before a formula makes it text. */
export function inertCell(cell: Cell): Cell {
  return typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : cell;
}
