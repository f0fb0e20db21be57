import { csvRow, inertCell } from '../artifacts/format/csv.ts';
import type { ChartTable } from './chart.ts';

/**
 * What a chart shows, as CSV after RFC 4180 with the columns' names as its header. Its texts are of the ledger: what a
 * spreadsheet would run as a formula has an apostrophe before it.
 */
export function chartCsv({ columns, rows }: ChartTable): string {
  const header = csvRow(columns.map(({ name }) => inertCell(name)));
  return header + rows.map((row) => csvRow(row.map((cell) => inertCell(cell ?? '')))).join('');
}
