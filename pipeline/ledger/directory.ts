import { access, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
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
  return {
    path,
    head: join(path, 'head.ndjson'),
    snapshots: async (after) => newerThan(after, path, await list(path)),
  };
}

/** A ledger as it is when its snapshots are first asked for. Fifty years have 146,000 files, and a run asks several times. */
export function openListed(path: string): LedgerDirectory {
  let listing: Promise<Listing> | null = null;
  return {
    ...openDirectory(path),
    snapshots: async (after) => {
      listing ??= list(path);
      return newerThan(after, path, await listing);
    },
  };
}

/** The file names of a snapshot, whether or not they exist. */
export function snapshotFile(ledger: string, id: string): SnapshotFile {
  return fileIn(join(ledger, SNAPSHOTS), id);
}

function fileIn(folder: string, id: string): SnapshotFile {
  const base = `${folder}${sep}${id}`;
  return { id, events: `${base}${EVENTS}`, checkpoint: `${base}${CHECKPOINT}` };
}

/** Ids of the files in a ledger: all that count, in order, and those of either kind of file. */
interface Listing {
  ids: readonly string[];
  events: ReadonlySet<string>;
  checkpoints: ReadonlySet<string>;
}

async function list(ledger: string): Promise<Listing> {
  const names = await readdir(join(ledger, SNAPSHOTS)).catch((cause: NodeJS.ErrnoException) => {
    const found = cause.code === 'ENOENT' ? 'nothing' : `${cause.code}`;
    throw new CathedralError('ledger_unreadable', {
      place: ledger,
      expected: 'a folder snapshots',
      found,
      cause,
    });
  });
  const events = new Set(idsOf(names, EVENTS));
  const checkpoints = new Set(idsOf(names, CHECKPOINT));
  const ids = [...events.union(checkpoints)].sort();
  const newest = ids.at(-1);
  // The checkpoint is written last. Without it, the newest snapshot is incomplete and does not count.
  if (newest !== undefined && !checkpoints.has(newest)) ids.pop();
  return { ids, events, checkpoints };
}

/** The snapshots later than `after`, each with both files. Throws ledger_unreadable. */
async function newerThan(
  after: string | null,
  ledger: string,
  { ids, events, checkpoints }: Listing,
): Promise<SnapshotFile[]> {
  const folder = join(ledger, SNAPSHOTS);
  const from = after === null ? 0 : ids.findLastIndex((id) => id <= after) + 1;
  const files = ids.slice(from).map((id) => fileIn(folder, id));
  for (const { id, ...file } of files) {
    if (!events.has(id)) await assertPresent(file.events, `${SNAPSHOTS}/${id}${EVENTS}`);
    if (!checkpoints.has(id)) await assertPresent(file.checkpoint, `${SNAPSHOTS}/${id}${CHECKPOINT}`);
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
