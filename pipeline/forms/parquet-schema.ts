import type { SchemaElement } from 'hyparquet-writer';
import { CathedralError } from '../errors.ts';
import { parseAmount } from '../model/amount.ts';
import type { Column, ColumnType } from './columns.ts';
import type { Value } from './row.ts';

const DAY_MS = 86_400_000;

/** Amounts have up to 21 digits in an event, and sums more. */
const DECIMAL = { type: 'DECIMAL', precision: 38, scale: 6 } as const;
const TEXT = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
} as const satisfies Omit<SchemaElement, 'name'>;

/** How a column is stored, by its type; a list is a group of three elements, see `schemaElements`. */
const STORED: Record<Exclude<ColumnType, 'list'>, Omit<SchemaElement, 'name'>> = {
  text: TEXT,
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  decimal: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: DECIMAL.precision,
    scale: DECIMAL.scale,
    logical_type: DECIMAL,
  },
  boolean: { type: 'BOOLEAN' },
  datetime: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
};

/** The schema of a Parquet file: its root, then each column with what is in it. */
export function parquetSchema(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'schema', num_children: columns.length }, ...columns.flatMap(schemaElements)];
}

function schemaElements({ name, type, nullable }: Column): SchemaElement[] {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  if (type !== 'list') return [{ name, repetition_type, ...STORED[type] }];
  return [
    { name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', ...TEXT },
  ];
}

/** A cell as the writer takes it. Throws artifact_invalid for a date that is none. */
export function toStored(value: Value, type: ColumnType, place: string): unknown {
  if (value === null) return null;
  if (type === 'integer') return BigInt(value as number);
  if (type === 'decimal') return parseAmount(value as string);
  if (type === 'datetime') return microseconds(value as string, place);
  if (type === 'date') return milliseconds(value as string, place) / DAY_MS;
  return value;
}

/** Since 1970, of a UTC date-time; what a fraction has beyond six digits falls away. */
function microseconds(text: string, place: string): bigint {
  const dot = text.indexOf('.');
  // Milliseconds are below 2^43, so a thousand times as many are exact.
  if (dot < 0) return BigInt(milliseconds(text, place) * 1000);
  const fraction = text
    .slice(dot + 1, -1)
    .slice(0, 6)
    .padEnd(6, '0');
  return BigInt(milliseconds(`${text.slice(0, dot)}Z`, place) * 1000 + Number(fraction));
}

function milliseconds(text: string, place: string): number {
  const time = Date.parse(text);
  if (!Number.isNaN(time)) return time;
  throw new CathedralError('artifact_invalid', { place, expected: 'an ISO 8601 time', found: text });
}
