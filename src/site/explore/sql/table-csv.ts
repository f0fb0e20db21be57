import { csvRow } from '../../../../pipeline/artifacts/format/csv.ts';
import type { ColumnType, Place, Value } from '../../../../pipeline/formats/columns.ts';
import { readTable } from '../../../../pipeline/formats/read-rows.ts';
import type { Table } from '../../../../pipeline/formats/tables.ts';
import { cellText } from '../rows/cells.ts';
import type { ColumnAbout } from '../rows/selection.ts';

/** What the page tells its worker about a table. */
export interface SqlTable extends Place {
  name: string;
  path: string;
  mediaType: string;
  columns: readonly ColumnAbout[];
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
  if (!/\bjson$/.test(table.mediaType)) return new Uint8Array(await file.arrayBuffer());
  const { columns, from, named, parent, path, mediaType } = table;
  const source = { columns, from, named, parent, artifact: { path, mediaType } } as unknown as Table;
  const rows = readTable(source, await file.text());
  const lines = rows.map((row) => csvRow(row.map(listText)));
  return new TextEncoder().encode(csvRow(columns.map(({ name }) => name)) + lines.join(''));
}

/** Lists as the engine writes them: `["a", "b"]`, with a backslash before quotes and backslashes. */
function listText(value: Value): string {
  if (!Array.isArray(value)) return cellText(value);
  return `[${value.map((one) => `"${String(one).replace(/["\\]/g, '\\$&')}"`).join(', ')}]`;
}
