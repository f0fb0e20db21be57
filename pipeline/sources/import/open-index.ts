import { readFileSync } from 'node:fs';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import type { LedgerPosition } from '../../ledger/log/leaf.ts';
import { CompactRange } from '../../ledger/log/merkle.ts';
import { parseCheckpoint } from '../../ledger/notes/checkpoint.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { openNote } from '../../ledger/notes/open-note.ts';
import { openDirectory, snapshotFile } from '../../ledger/reading/directory.ts';
import { readHeadLines } from '../../ledger/reading/head.ts';
import { readSnapshot } from '../../ledger/reading/read-snapshot.ts';
import { RowIndex } from './row-index.ts';
import type { RowForm } from './source.ts';

/**
 * The index of the imported rows of a ledger of `size` events; reads the events that it lacks. Throws the errors of reading a ledger, and what
 * `rowOf` throws.
 */
export async function openIndex<Content>(
  directory: string,
  size: number,
  verifiers: readonly Verifier[],
  form: RowForm<Content>,
): Promise<RowIndex> {
  const ledger = openDirectory(directory);
  const index = RowIndex.open(
    directory,
    form.noun,
    (sealed, next) => next <= size && isSealedAt(directory, sealed, verifiers),
  );
  const add = (event: LedgerEvent) => {
    const row = form.rowOf(event);
    if (row) index.add(row, event.seq);
    else for (const change of form.changesOf(event)) index.change(change);
  };
  try {
    let position: LedgerPosition = index.state.sealed;
    for (const file of await ledger.snapshots(position.snapshot)) {
      const leaves = readSnapshot(file, position, verifiers);
      let step = await leaves.next();
      for (; !step.done; step = await leaves.next())
        for (const { event } of step.value) if (event.seq >= index.state.next) add(event);
      position = step.value;
    }
    for await (const lines of readHeadLines(ledger, Math.max(index.state.next, position.size)))
      for (const { event } of lines) add(event);
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}

/** Whether the ledger has sealed a snapshot that ends at `position`. */
function isSealedAt(path: string, position: LedgerPosition, verifiers: readonly Verifier[]): boolean {
  if (position.snapshot === null) return position.size === 0;
  const { checkpoint } = snapshotFile(path, position.snapshot);
  const { text } = openNote(readFileSync(checkpoint), verifiers, checkpoint);
  const { size, root } = parseCheckpoint(text, checkpoint);
  return size === position.size && root === CompactRange.resume(position.size, position.range).root();
}
