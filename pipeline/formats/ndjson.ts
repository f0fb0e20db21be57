import { openHistory } from '../release/history/history.ts';
import type { Staging } from '../release/staging/staging.ts';
import type { Row, Value } from './columns.ts';
import { inFileOrder } from './history-rows.ts';
import { FORM_TYPES } from './table-file.ts';
import { formPath, type Table, timeColumn } from './tables.ts';

/** Rows as JSON objects, one per line. A decimal keeps its digits, and an empty cell is null. */
export function formatNdjson(
  { allColumns: columns }: Pick<Table, 'allColumns'>,
  rows: readonly Row[],
): string[] {
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

/** A growing table as JSON lines: newest first and kept in segments, like the file itself. */
export async function openNdjson(staging: Staging, table: Table) {
  const history = await openHistory(staging, {
    path: formPath(table, '.ndjson'),
    area: table.artifact.area,
    mediaType: FORM_TYPES['.ndjson'],
    restricted: false,
    separator: '',
    assembled: true,
  });
  const time = timeColumn(table);
  let skipped = history.rows;
  return {
    /** All rows of the table, the oldest first; those that earlier runs wrote are skipped. */
    async add(batch: readonly Row[]): Promise<void> {
      const rows = inFileOrder(table, batch).slice(Math.min(skipped, batch.length));
      skipped -= batch.length - rows.length;
      const lines = formatNdjson(table, rows);
      for (const [index, row] of rows.entries()) history.add([lines[index]!], row[time] as string);
      await history.drain();
    },
    finish: () => history.finish('', ''),
  };
}
