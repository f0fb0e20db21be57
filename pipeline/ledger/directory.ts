import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { isSlotId } from './slot.ts';

const SNAPSHOTS = 'snapshots';
const EVENTS = '.ndjson.zst';
const CHECKPOINT = '.checkpoint';

/** A ledger snapshot: the events since the previous one, and the signed checkpoint over all events so far. */
export interface SnapshotFile {
  /** The slot, `2025-12-01T06Z`. */
  id: string;
  events: string;
  checkpoint: string;
}

export interface LedgerDirectory {
  path: string;
  /** `head.ndjson`: the events after the last snapshot. */
  head: string;
  /** The complete snapshots later than `after`, oldest first. */
  snapshots(after: string | null): Promise<SnapshotFile[]>;
}

/** A ledger as a folder: `snapshots/<id>.ndjson.zst`, `snapshots/<id>.checkpoint`, `head.ndjson`. */
export function openDirectory(path: string): LedgerDirectory {
  return { path, head: join(path, 'head.ndjson'), snapshots: (after) => listSnapshots(path, after) };
}

/** The file names of a snapshot, whether or not they exist. */
export function snapshotFile(ledger: string, id: string): SnapshotFile {
  const base = join(ledger, SNAPSHOTS, id);
  return { id, events: `${base}${EVENTS}`, checkpoint: `${base}${CHECKPOINT}` };
}

async function listSnapshots(ledger: string, after: string | null): Promise<SnapshotFile[]> {
  const names = await readdir(join(ledger, SNAPSHOTS)).catch((cause: NodeJS.ErrnoException) => {
    const found = cause.code === 'ENOENT' ? 'nothing' : `${cause.code}`;
    throw new CathedralError('ledger_unreadable', {
      place: ledger,
      expected: 'a folder snapshots',
      found,
      cause,
    });
  });
  const events = idsOf(names, EVENTS);
  const checkpoints = new Set(idsOf(names, CHECKPOINT));
  const ids = [...new Set([...events, ...checkpoints])].sort();
  const newest = ids.at(-1);
  // The checkpoint is written last. Without it, the newest snapshot is incomplete and does not count.
  if (newest !== undefined && !checkpoints.has(newest)) ids.pop();
  const files = ids.filter((id) => after === null || id > after).map((id) => snapshotFile(ledger, id));
  const present = new Set(names);
  for (const file of files) {
    if (!present.has(`${file.id}${EVENTS}`))
      await assertPresent(file.events, `${SNAPSHOTS}/${file.id}${EVENTS}`);
    if (!checkpoints.has(file.id))
      await assertPresent(file.checkpoint, `${SNAPSHOTS}/${file.id}${CHECKPOINT}`);
  }
  return files;
}

/** The slots of file names with this ending. Ignores `.tmp` files and foreign files. */
function idsOf(names: string[], ending: string): string[] {
  const ids = names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
  for (const id of ids) {
    if (isSlotId(id)) continue;
    throw new CathedralError('ledger_order', {
      place: `${SNAPSHOTS}/${id}${ending}`,
      expected: `a slot like 2025-12-01T06Z before ${ending}`,
      found: JSON.stringify(id),
    });
  }
  return ids;
}

/** A directory listing is not atomic: a file renamed into place meanwhile may be missing from it. */
async function assertPresent(path: string, place: string): Promise<void> {
  await access(path).catch((cause: unknown) => {
    throw new CathedralError('ledger_unreadable', {
      place,
      expected: 'both files of the snapshot',
      found: 'none here',
      cause,
    });
  });
}
