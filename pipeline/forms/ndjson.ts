import type { Row, Value } from './row.ts';
import type { Table } from './tables.ts';

/** Rows as JSON objects, one a line; a decimal keeps its digits, and an empty cell is null. */
export function formatNdjson({ columns }: Pick<Table, 'columns'>, rows: readonly Row[]): string[] {
  const names = columns.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  return rows.map((row) => {
    let line = '';
    for (const [index, name] of names.entries())
      line += name + formatValue(row[index]!, columns[index]!.type);
    return `${line}}\n`;
  });
}

function formatValue(value: Value, type: string): string {
  return type === 'decimal' && value !== null ? (value as string) : JSON.stringify(value);
}
