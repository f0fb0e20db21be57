import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY_SUFFIX } from '../../disk/durable.ts';
import { LEDGER_START } from '../log/leaf.ts';
import {
  type LedgerDirectory,
  listSnapshots,
  type SnapshotFile,
  snapshotFile,
} from '../reading/directory.ts';
import { NewHead } from './head-and-snapshot-files.ts';

/** Where the files of a snapshot that was copied wait until they are verified. */
export function waitingFile(ledger: string, id: string): SnapshotFile {
  const { events, checkpoint } = snapshotFile(ledger, id);
  return { id, events: `${events}${TEMPORARY_SUFFIX}`, checkpoint: `${checkpoint}${TEMPORARY_SUFFIX}` };
}

/**
 * Removes what an interrupted copy left. A process that is killed leaves files that wait, or a newest snapshot without a checkpoint. A
 * power failure may undo any of the names that the last snapshots got: then the head and all snapshots from the first incomplete one on go.
 * Returns whether events went.
 */
export async function removeIncomplete({ path, head }: LedgerDirectory): Promise<boolean> {
  await rm(`${head}${TEMPORARY_SUFFIX}`, { force: true });
  const { slots, unfinished, others } = await listSnapshots(path);
  for (const name of others)
    if (name.endsWith(TEMPORARY_SUFFIX)) await rm(join(path, 'snapshots', name), { force: true });
  const first = slots.findIndex(({ missing }) => missing !== null);
  const lost = first < 0 ? [] : slots.slice(first);
  if (lost.length > 0) await new NewHead(head, 0, LEDGER_START).commit();
  await removeSnapshots([...lost, ...(unfinished ? [unfinished] : [])]);
  return lost.length > 0;
}

/** Newest first, so that the rest is a whole ledger at each moment. */
export async function removeSnapshots(files: readonly SnapshotFile[]): Promise<void> {
  for (const { events, checkpoint } of files.toReversed())
    for (const file of [checkpoint, events]) await rm(file, { force: true });
}
