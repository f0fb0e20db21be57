import { csvRow } from '../../../../pipeline/artifacts/format/csv.ts';
import type { ColumnType, Value } from '../../../../pipeline/formats/columns.ts';
import { type ReadableTable, readTable } from '../../../../pipeline/formats/read-rows.ts';
import { cellText } from '../rows/select-rows.ts';

/** What the page tells its worker about a table. */
export interface SqlTable extends ReadableTable {
  name: string;
}

export const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  decimal: 'DECIMAL(38,6)',
  boolean: 'BOOLEAN',
  datetime: 'TIMESTAMP',
  date: 'DATE',
  list: 'VARCHAR[]',
  integers: 'BIGINT[]',
};

/** The columns as the engine declares them. A text that may be missing is null where it is empty, like any other cell. */
export function sqlColumns({ columns }: Pick<SqlTable, 'columns'>) {
  return columns.map(({ name, type, nullable }) => ({
    name,
    type: SQL_TYPES[type],
    isText: type === 'text' && !nullable,
  }));
}

/** A table of a file as CSV with a header, as the engine reads it: a CSV file as it is, a JSON file row by row. */
export async function csvOf(table: SqlTable, file: Blob): Promise<Uint8Array> {
  if (!/\bjson$/.test(table.artifact.mediaType)) return new Uint8Array(await file.arrayBuffer());
  const lines = readTable(table, await file.text()).map((row) => csvRow(row.map(listText)));
  return new TextEncoder().encode(csvRow(table.columns.map(({ name }) => name)) + lines.join(''));
}

/** Lists as the engine writes them: `["a", "b"]`, with a backslash before quotes and backslashes. */
function listText(value: Value): string {
  if (!Array.isArray(value)) return cellText(value);
  return `[${value.map((one) => `"${String(one).replace(/["\\]/g, '\\$&')}"`).join(', ')}]`;
}
