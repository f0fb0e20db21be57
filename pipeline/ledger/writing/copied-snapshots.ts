import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY_SUFFIX } from '../../disk/durable.ts';
import { type LedgerDirectory, type SnapshotFile, snapshotFile } from '../reading/directory.ts';
import { NewHead, NO_EVENTS } from './new-head.ts';

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
export async function removeIncomplete({ path, head }: LedgerDirectory, durable: boolean): Promise<boolean> {
  await rm(`${head}${TEMPORARY_SUFFIX}`, { force: true });
  const folder = join(path, 'snapshots');
  const names = new Set(await readdir(folder));
  const remove = async (name: string) => {
    await rm(join(folder, name), { force: true });
    names.delete(name);
  };
  for (const name of names) if (name.endsWith(TEMPORARY_SUFFIX)) await remove(name);
  const [events, checkpoint] = ['.ndjson.zst', '.checkpoint'];
  const isSnapshot = (name: string) => name.endsWith(events) || name.endsWith(checkpoint);
  const slots = [...names].filter(isSnapshot).map((name) => name.slice(0, name.indexOf('.')));
  const ids = [...new Set(slots)].sort();
  const first = ids.findIndex((id) => !names.has(`${id}${events}`) || !names.has(`${id}${checkpoint}`));
  if (first < 0) return false;
  const isNewestUnfinished = first === ids.length - 1 && !names.has(`${ids[first]}${checkpoint}`);
  if (!isNewestUnfinished) await new NewHead(head, NO_EVENTS, durable).commit();
  for (const id of ids.slice(first).toReversed())
    for (const ending of [checkpoint, events]) await remove(`${id}${ending}`);
  return !isNewestUnfinished;
}
