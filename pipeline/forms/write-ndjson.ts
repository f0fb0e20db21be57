import { openHistory } from '../release/history/history.ts';
import type { Staging } from '../release/staging/staging.ts';
import { historyRows } from './history-rows.ts';
import { formatNdjson } from './ndjson.ts';
import { FORM_TYPES } from './record-file.ts';
import { formPath, type Table, timeColumn } from './tables.ts';

/** A growing table as JSON lines, newest first like the file itself, kept in segments like it. */
export async function writeNdjson(staging: Staging, table: Table): Promise<void> {
  const history = await openHistory(staging, {
    path: formPath(table, '.ndjson'),
    area: table.artifact.area,
    mediaType: FORM_TYPES['.ndjson'],
    restricted: false,
    separator: '',
    assembled: true,
  });
  const time = timeColumn(table);
  for await (const rows of historyRows(staging, table, history.rows, 'reversed')) {
    const lines = formatNdjson(table, rows);
    for (const [index, row] of rows.entries()) history.add([lines[index]!], row[time] as string);
    await history.drain();
  }
  await history.finish('', '');
}
