import { type CellValue, formatCell } from '../../../../pipeline/artifacts/format/csv.ts';
import type { Column, ColumnType, Value } from '../../../../pipeline/formats/columns.ts';
import { compareTimestamps } from '../../../../pipeline/ledger/events/timestamp.ts';
import { parseAmount } from '../../../../pipeline/model/amount.ts';
import { addDays } from '../../../../pipeline/words/day.ts';
import type { Filter, Selection } from './selection.ts';

/** A cell as the file has it; empty for no value. A list is separated by commas. */
export function cellText(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(String).join(', ') : String(value);
}

/** A cell of a CSV file: lists as JSON, since a text in one may have a comma. */
export function csvText(value: Value | undefined, type: ColumnType): string {
  return Array.isArray(value) ? JSON.stringify(value) : formatCell((value ?? null) as CellValue, type);
}

/** Whether a cell of the column is selected. The values are of the column's type: `parseSelection` has seen to it. */
function matcher({ operator, values }: Filter, type: ColumnType): (value: Value) => boolean {
  const isEmpty = (value: Value) =>
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (operator === 'empty') return isEmpty;
  if (operator === 'filled') return (value) => !isEmpty(value);
  const [first = '', second = ''] = values;
  if (operator === 'contains') {
    const wanted = first.toLowerCase();
    return (value) =>
      [value].flat().some((one) => one !== null && String(one).toLowerCase().includes(wanted));
  }
  if (type === 'text' || type === 'boolean') return (value) => value !== null && String(value) === first;
  const compare = compareBy(type);
  const { from, to } = boundsOf(type, first);
  const upper = operator === 'between' ? boundsOf(type, second).to : to;
  const isBelow = (value: Value, bound: Bound) =>
    compare(value, bound.value) < 0 || (!bound.open && compare(value, bound.value) === 0);
  return (value) => {
    if (value === null) return false;
    const isFrom = compare(value, from.value) >= 0;
    if (operator === 'lt') return !isFrom;
    if (operator === 'gt') return !isBelow(value, to);
    return isFrom && isBelow(value, upper);
  };
}

interface Bound {
  value: Value;
  /** Whether the value itself is beyond. */
  open: boolean;
}

/** The values that a text stands for: a day in a column of times is all of it. */
function boundsOf(type: ColumnType, text: string): { from: Bound; to: Bound } {
  const at = (value: Value, open = false) => ({ value, open });
  if (type === 'datetime' && text.length === 10) {
    const next = addDays(text, 1);
    return { from: at(`${text}T00:00:00Z`), to: at(`${next}T00:00:00Z`, true) };
  }
  const value = type === 'integer' || type === 'number' ? Number(text) : text.replace(/^\+/, '');
  return { from: at(value), to: at(value) };
}

/** Compares two cells of a type, both of which have a value. */
function compareBy(type: ColumnType): (one: Value, other: Value) => number {
  if (type === 'integer' || type === 'number') return (one, other) => Number(one) - Number(other);
  if (type === 'decimal') return compareDecimals;
  if (type === 'datetime') return (one, other) => compareTimestamps(String(one), String(other));
  return (one, other) => compareText(cellText(one), cellText(other));
}

function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/** A limit may have more places than an amount, which is then compared as a text of equal places. */
function compareDecimals(one: Value, other: Value): number {
  const [a, b] = [scaled(String(one)), scaled(String(other))];
  return a === b ? 0 : a < b ? -1 : 1;
}

const MORE_PLACES = 6;
const PLACES = 6;

/** Integer of 1e-12. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  const padded = fraction.padEnd(PLACES + MORE_PLACES, '0');
  if (whole.startsWith('-')) return -scaled(text.slice(1));
  return parseAmount(whole) * 10n ** BigInt(MORE_PLACES) + BigInt(padded);
}

/** A column of a table, in the order in which `positions` count its rows. */
export type Cells = ArrayLike<Value>;

/**
 * The positions of the selected rows, in the order of the selection. `candidates` are in the order of the file; equal rows keep it, and
 * rows without a value come last either way.
 */
export function selectRows(
  candidates: readonly number[],
  { sort, filters }: Pick<Selection, 'sort' | 'filters'>,
  columns: readonly Pick<Column, 'name' | 'type'>[],
  cellsOf: (name: string) => Cells,
): number[] {
  const typeOf = (name: string) => columns.find((column) => column.name === name)!.type;
  let rows = [...candidates];
  for (const filter of filters) {
    const cells = cellsOf(filter.column);
    const matches = matcher(filter, typeOf(filter.column));
    rows = rows.filter((row) => matches(cells[row]!));
  }
  if (!sort) return rows;
  const cells = cellsOf(sort.column);
  const compare = compareBy(typeOf(sort.column));
  const sign = sort.descending ? -1 : 1;
  const isMissing = (row: number) => cells[row] === null || cells[row] === '';
  // The language's sort is stable.
  return rows.sort((one, other) => {
    const [a, b] = [isMissing(one), isMissing(other)];
    if (a || b) return Number(a) - Number(b);
    return sign * compare(cells[one]!, cells[other]!);
  });
}
