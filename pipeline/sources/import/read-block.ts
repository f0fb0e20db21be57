import { parseEventLine } from '../../ledger/events/event-line.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { openDirectory } from '../../ledger/reading/directory.ts';
import { readHeadLines } from '../../ledger/reading/head.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { readLines } from '../../ledger/reading/read-lines.ts';
import { importedRow } from './imported-row.ts';
import type { Block } from './row-index.ts';

/** Row id → text of a block's rows, as the ledger in the folder holds them. Throws the errors of reading a ledger. */
export async function readBlock(
  directory: string,
  verifiers: readonly Verifier[],
  { firstSeq, lastSeq }: Block,
): Promise<Map<string, string>> {
  const rows = new Map<string, string>();
  const take = (event: Parameters<typeof importedRow>[0]) => {
    const row = event.seq >= firstSeq && event.seq <= lastSeq ? importedRow(event) : null;
    if (row && !row.late) rows.set(row.id, row.text);
  };
  const ledger = openDirectory(directory);
  let seq = 0;
  for (const file of await ledger.snapshots(null)) {
    const { size } = readCheckpoint(file, verifiers).checkpoint;
    if (size > firstSeq && seq <= lastSeq) {
      let at = seq;
      for await (const lines of readLines(file)) {
        for (const line of lines) {
          if (at >= firstSeq && at <= lastSeq) take(parseEventLine(line, `event ${at}`));
          at += 1;
        }
      }
    }
    seq = size;
  }
  if (lastSeq >= seq)
    for await (const lines of readHeadLines(ledger, Math.max(firstSeq, seq)))
      for (const { event } of lines) take(event);
  return rows;
}
