import { type Cell, csvRow, formatCell, inertCell } from '../artifacts/format/csv.ts';

/** `circulating`, `Circulating`, `MIC` */
export interface ChartColumn {
  name: string;
  title: string;
  unit: string;
}

/** The data that a chart shows, for its CSV and the table in its page. Null is an empty cell. */
export interface ChartTable {
  columns: readonly ChartColumn[];
  rows: readonly (readonly (Cell | null)[])[];
}

/** A column of a table of items: its name, its title, the unit of its numbers, and its cells; by default the members of its name. */
export type ColumnOf<T> =
  | readonly [name: keyof T & string, title: string, unit?: string]
  | readonly [name: string, title: string, unit: string, cell: (item: T) => Cell | null];

/** A row for each item. */
export function tableOf<T>(items: readonly T[], columns: readonly ColumnOf<T>[]): ChartTable {
  const cells = columns.map(
    ([name, , , cell]) => cell ?? ((item: T) => item[name as keyof T] as Cell | null),
  );
  return {
    columns: columns.map(([name, title, unit = '']) => ({ name, title, unit })),
    rows: items.map((item) => cells.map((cell) => cell(item))),
  };
}

/** To six decimal places, as amounts have them. */
export function round<Value extends number | null>(value: Value): Value {
  return value === null ? value : ((Math.round(value * 1e6) / 1e6) as Value);
}

/** Units of whole numbers. */
const COUNTED = ['count', 'days'];

/**
 * The table as CSV (RFC 4180) with the columns' names as its header. Texts come from the ledger, so an apostrophe precedes
 * those that a spreadsheet would run as a formula.
 */
export function chartCsv({ columns, rows }: ChartTable): string {
  const header = csvRow(columns.map(({ name }) => inertCell(name)));
  const types = columns.map(({ unit }) => (COUNTED.includes(unit) ? '' : 'number'));
  return (
    header +
    rows.map((row) => csvRow(row.map((cell, at) => inertCell(formatCell(cell, types[at]!))))).join('')
  );
}
