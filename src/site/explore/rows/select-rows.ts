import type { Column, ColumnType, Value } from '../../../../pipeline/formats/columns.ts';
import { type Filter, isNumber, isTime, type Selection } from './selection.ts';

/** A cell as the file has it; empty for no value. A list is separated by commas. */
export function cellText(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(String).join(', ') : String(value);
}

/** What values of a column are compared by. */
type Key = number | bigint | string;

/** A limit may have more places than an amount. */
const PLACES = 12;

function keyOf(value: Value, type: ColumnType): Key {
  if (type === 'integer' || type === 'number') return Number(value);
  const text = cellText(value);
  // `…T12:00:00.50Z` and `…T12:00:00.5Z` are one time, and `…T12:00:00` comes before both.
  if (type === 'datetime') return text.replace(/(?<=\.\d*)0+(?=Z$)/, '').replace(/\.?Z$/, '');
  if (type !== 'decimal') return text;
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(PLACES, '0')}`);
}

/** Whether the column may have a selected value between these two. */
type Test = (least: Key, most: Key) => boolean;

/** Of a column that has an order; null for a filter that does not go by it. The values are of the column's type: `parseSelection` has seen to it. */
function rangeTest({ operator, values }: Filter, type: ColumnType): Test | null {
  if (!isTime(type) && !isNumber(type)) return null;
  if (operator === 'contains' || operator === 'empty' || operator === 'filled') return null;
  const [first = '', second = first] = values;
  const from = keyOf(first, type);
  // A day in a column of times stands for all of it: `2026-01-31~` comes after each of its times.
  const to = (text: string) => (type === 'datetime' && text.length === 10 ? `${text}~` : keyOf(text, type));
  if (operator === 'lt') return (least) => least < from;
  if (operator === 'gt') return (_, most) => most > to(first);
  const end = to(second);
  return (least, most) => most >= from && least <= end;
}

/** Whether rows whose least and greatest value in a filter's column these are may match it; null: the file does not say. */
export function mayMatch(
  filter: Filter,
  type: ColumnType,
  bounds: readonly [least: Value, most: Value] | null,
): boolean {
  const test = bounds && rangeTest(filter, type);
  return !test || test(keyOf(bounds[0], type), keyOf(bounds[1], type));
}

function matcher(filter: Filter, type: ColumnType): (value: Value) => boolean {
  const { operator, values } = filter;
  const isEmpty = (value: Value) => value === null || value === undefined || cellText(value) === '';
  if (operator === 'empty') return isEmpty;
  if (operator === 'filled') return (value) => !isEmpty(value);
  const [wanted = ''] = values;
  if (operator === 'contains') {
    const part = wanted.toLowerCase();
    return (value) => [value].flat().some((one) => one !== null && String(one).toLowerCase().includes(part));
  }
  const test = rangeTest(filter, type);
  if (!test) return (value) => value !== null && String(value) === wanted;
  return (value) => {
    if (isEmpty(value)) return false;
    const key = keyOf(value, type);
    return test(key, key);
  };
}

/** The cells of a column by the place of their row. */
export type Cells = ArrayLike<Value>;

/**
 * The places of the selected rows, in the order of the selection. `candidates` are in the order of the file; equal rows keep it, and
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
  const [cells, type] = [cellsOf(sort.column), typeOf(sort.column)];
  const has = (row: number) => cells[row] !== null && cells[row] !== '';
  const sorted = rows.filter(has).map((row) => ({ row, key: keyOf(cells[row]!, type) }));
  const sign = sort.descending ? -1 : 1;
  // The language's sort is stable.
  sorted.sort((one, other) => (one.key === other.key ? 0 : one.key < other.key ? -sign : sign));
  return [...sorted.map(({ row }) => row), ...rows.filter((row) => !has(row))];
}
