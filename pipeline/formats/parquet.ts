import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { CathedralError } from '../errors.ts';
import { parseAmount } from '../model/amount.ts';
import { DAY_MS } from '../words/day.ts';
import type { Column, ColumnType, Row, Value } from './columns.ts';
import type { TableFile } from './table-file.ts';
import type { Table } from './tables.ts';

/** A Parquet file of a table's rows, oldest first: a group for each block of them, so that a reader can skip groups by time. */
export class ParquetFile implements TableFile {
  readonly #table: Table;
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;

  constructor(table: Table) {
    this.#table = table;
    const schema = parquetSchema(table.allColumns);
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'cathedral-data-service' });
  }

  add(rows: readonly Row[]): Uint8Array[] {
    const { allColumns: columns, artifact } = this.#table;
    const columnData = columns.map(({ name, type }, index): ColumnSource => {
      const data = rows.map((row) => toStored(row[index]!, type, artifact.path));
      // The writer compares decimals as doubles, which may not hold them.
      return { name, data, statistics: type !== 'decimal' && !isList(type), offsetIndex: false };
    });
    this.#writer.write({ columnData, rowGroupSize: rows.length });
    return this.#take();
  }

  finish(): Uint8Array[] {
    this.#writer.finish();
    return this.#take();
  }

  /** What was written since the last call. The writer goes on counting its offset from the start of the file. */
  #take(): Uint8Array[] {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return [bytes];
  }
}

/** An amount has up to 21 digits in an event, and a sum has more. */
const DECIMAL = { type: 'DECIMAL', precision: 38, scale: 6 } as const;
const TEXT = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
} as const satisfies Omit<SchemaElement, 'name'>;

/** How a column is stored, by its type. A list is a group of three elements, see `schemaElements`. */
const STORED: Record<Exclude<ColumnType, 'list' | 'integers'>, Omit<SchemaElement, 'name'>> = {
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

/** The schema of a Parquet file: its root, then the elements of each column. */
function parquetSchema(columns: readonly Column[]): SchemaElement[] {
  return [{ name: 'schema', num_children: columns.length }, ...columns.flatMap(schemaElements)];
}

function schemaElements({ name, type, nullable }: Column): SchemaElement[] {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  if (!isList(type)) return [{ name, repetition_type, ...STORED[type] }];
  return [
    { name, repetition_type, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', ...(type === 'list' ? TEXT : STORED.integer) },
  ];
}

function isList(type: ColumnType): type is 'list' | 'integers' {
  return type === 'list' || type === 'integers';
}

/** A cell as the writer expects it. Throws artifact_invalid for an invalid date. */
function toStored(value: Value, type: ColumnType, place: string): unknown {
  if (value === null) return null;
  if (type === 'integer') return BigInt(value as number);
  if (type === 'integers') return (value as readonly number[]).map(BigInt);
  if (type === 'decimal') return parseAmount(value as string);
  if (type === 'datetime') return microseconds(value as string, place);
  if (type === 'date') return milliseconds(value as string, place) / DAY_MS;
  return value;
}

/** Microseconds from 1970 to a UTC date-time; digits of its fraction beyond the sixth are dropped. */
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
