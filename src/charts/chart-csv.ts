import { csvRow } from '../../pipeline/artifacts/format/csv.ts';
import type { ChartTable } from './chart.ts';

/** What a chart shows, as CSV after RFC 4180 with the columns' names as its header. */
export function chartCsv({ columns, rows }: ChartTable): string {
  const header = csvRow(columns.map(({ name }) => name));
  return header + rows.map((row) => csvRow(row.map((cell) => cell ?? ''))).join('');
}
