import { z } from 'zod';
import type { RowGroup, SealedGroups } from './parquet-file.ts';
import type { SealedSheet } from './xlsx/write-xlsx.ts';

/** What the files of a growing table were made of, for the next run to go on from. */
export interface TableState {
  /** Rows in all its files. */
  rows: number;
  /** The year that is not over, and the full groups of its Parquet file; -1 where it has none. */
  year: number;
  groups: SealedGroups;
  sheets: readonly SealedSheet[];
}

/** By the table's name. */
export type ExtrasState = Readonly<Record<string, TableState>>;

const Count = z.int().min(0);
const Sheet = z.strictObject({ rows: Count, crc: Count, raw: Count, packed: Count, at: Count });
const StateFile = z.strictObject({
  format: z.literal('cathedral-extras/2'),
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

/** JSON, with the two numbers that JSON has no form for: integers of 64 bits, and minus zero, a bound of a column. */
export function formatExtrasState(tables: ExtrasState, software: string): string {
  const tagged = (_: string, value: unknown) => {
    if (typeof value === 'bigint') return { $integer: String(value) };
    return Object.is(value, -0) ? { $number: '-0' } : value;
  };
  return `${JSON.stringify({ format: 'cathedral-extras/2', software, tables }, tagged)}\n`;
}

/** Null where it is of another version, whose files would not go on as they began: they are made again. */
export function parseExtrasState(text: string, software: string): ExtrasState | null {
  const untagged = (_: string, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('$integer' in value) return BigInt(value.$integer as string);
    return '$number' in value ? -0 : value;
  };
  const { data } = StateFile.safeParse(JSON.parse(text, untagged));
  return data?.software === software ? data.tables : null;
}
