import { stringify } from 'csv-stringify/sync';
import type { Cell } from './csv-row.ts';

/**
 * One row as in RFC 4180 with its line end `\n`. Every CSV file of a release is written by it; `#csv-row` in package.json names csv-row.ts
 * in its place for pages. One row at a time costs no more than a batch of them.
 */
export function csvRow(cells: readonly Cell[]): string {
  return stringify([cells]);
}
