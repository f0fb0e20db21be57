import { type Cell, csvRow, formatCell, inertCell } from '../artifacts/format/csv.ts';

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

/** A column of a table; numbers have a unit. */
export function column(name: string, title: string, unit = ''): ChartColumn {
  return { name, title, unit };
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
