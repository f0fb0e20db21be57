import { z } from 'zod';
import type { RowGroup, SealedGroups } from './parquet-file.ts';
import type { SealedSheet } from './xlsx/write-xlsx.ts';

/** What a run keeps about the files of a growing table, so that the next one can extend them. */
export interface TableState {
  /** Rows in all its files. */
  rows: number;
  /** The current year, or -1 if it has no rows yet, and the full groups of its Parquet file. */
  year: number;
  groups: SealedGroups;
  sheets: readonly SealedSheet[];
}

/** By the name of the table. */
export type FormsState = Readonly<Record<string, TableState>>;

/** Raised when the bytes of the files change, so that files of the earlier format are not extended. */
const FORMAT = 'cathedral-extras/1';

const Count = z.int().min(0);
const Sheet = z.strictObject({ rows: Count, crc: Count, raw: Count, packed: Count, at: Count });
const StateFile = z.strictObject({
  format: z.literal(FORMAT),
  software: z.string(),
  tables: z.record(
    z.string(),
    z.strictObject({
      rows: Count,
      year: z.int(),
      groups: z.strictObject({ groups: z.array(z.custom<RowGroup>()), bytes: Count }),
      sheets: z.array(Sheet),
    }),
  ),
});

/** JSON, with objects for two numbers that it cannot hold: 64-bit integers, and minus zero as a bound of a column. */
export function formatFormsState(tables: FormsState, software: string): string {
  const tagged = (_: string, value: unknown) => {
    if (typeof value === 'bigint') return { $integer: String(value) };
    return Object.is(value, -0) ? { $number: '-0' } : value;
  };
  return `${JSON.stringify({ format: FORMAT, software, tables }, tagged)}\n`;
}

/** Null if another version wrote it: its files cannot be extended and are written again. */
export function parseFormsState(text: string, software: string): FormsState | null {
  const untagged = (_: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$integer' in value) return BigInt(value.$integer as string);
    return '$number' in value ? -0 : value;
  };
  const { data } = StateFile.safeParse(JSON.parse(text, untagged));
  return data?.software === software ? data.tables : null;
}
