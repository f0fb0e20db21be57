import type { Staging } from '../../release/staging/staging.ts';
import type { Chunk } from '../chunk.ts';
import { blocksOf, countRows, historyRows } from '../history-rows.ts';
import { formFile, previousOf, recordFile } from '../record-file.ts';
import type { Row } from '../row.ts';
import { formPath, type Table } from '../tables.ts';
import { writeChunks } from '../write-chunks.ts';
import { BLOCK_ROWS, type SealedSheet, XlsxFile } from './xlsx-file.ts';

/** A growing table as a workbook: the full blocks of the release before are copied. Returns what is full now. */
export async function writeXlsx(
  staging: Staging,
  table: Table,
  before: readonly SealedSheet[],
): Promise<readonly SealedSheet[]> {
  const path = formPath(table, '.xlsx');
  const total = countRows(staging, table);
  const xlsx = new XlsxFile(table, total);
  let sealed = before;
  async function* chunks(): AsyncGenerator<Chunk> {
    yield* xlsx.start(before);
    const sealedRows = before.reduce((sum, { rows }) => sum + rows, 0);
    for await (const block of blocksOf(historyRows(staging, table, sealedRows), BLOCK_ROWS))
      yield* xlsx.add(block);
    const end = xlsx.finish();
    sealed = end.sealed;
    yield* end.chunks;
  }
  staging.claim(path);
  const previous = before.length > 0 ? previousOf(staging, path) : null;
  const blob = await writeChunks(staging.folder, `public/${path}`, chunks(), previous);
  recordFile(staging, formFile(table, '.xlsx', { rows: total }), blob);
  return sealed;
}

/** A table that is small, and written anew each time. */
export function formatXlsx(table: Table, rows: readonly Row[]): Uint8Array {
  const xlsx = new XlsxFile(table, rows.length);
  const chunks = xlsx.start([]);
  for (let at = 0; at < rows.length; at += BLOCK_ROWS)
    chunks.push(...xlsx.add(rows.slice(at, at + BLOCK_ROWS)));
  // Without a sheet to carry over, every chunk is bytes.
  return Buffer.concat([...chunks, ...xlsx.finish().chunks] as Uint8Array[]);
}
