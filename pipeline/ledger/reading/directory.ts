import { access, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { CathedralError } from '../../errors.ts';
import { isSlotId } from '../events/slot.ts';

const SNAPSHOTS = 'snapshots';
const EVENTS = '.ndjson.zst';
const CHECKPOINT = '.checkpoint';

/** What imports remember of the rows that they have read, beside `snapshots`: a database that the next import can make again. */
export const IMPORT_INDEX = 'rows-import.db';

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
  /** The complete snapshots from the newest back, for those who stop soon: fifty years have 73,000. */
  newestFirst(): AsyncIterable<SnapshotFile>;
}

/** A ledger as a folder: `snapshots/<id>.ndjson.zst`, `snapshots/<id>.checkpoint`, `head.ndjson`. */
export function openDirectory(path: string): LedgerDirectory {
  return directoryOf(path, () => list(path));
}

/** A ledger as it is when its snapshots are first asked for, which a run does several times. */
export function openListed(path: string): LedgerDirectory {
  let listing: Promise<Listing> | null = null;
  return directoryOf(path, () => {
    listing ??= list(path);
    return listing;
  });
}

function directoryOf(path: string, listing: () => Promise<Listing>): LedgerDirectory {
  const folder = join(path, SNAPSHOTS);
  return {
    path,
    head: join(path, 'head.ndjson'),
    async snapshots(after) {
      const { ids, unpaired } = await listing();
      await assertPairs(folder, unpaired, after);
      const from = after === null ? 0 : ids.findLastIndex((id) => id <= after) + 1;
      return ids.slice(from).map((id) => fileIn(folder, id));
    },
    async *newestFirst() {
      const { ids, unpaired } = await listing();
      await assertPairs(folder, unpaired, null);
      for (let index = ids.length - 1; index >= 0; index -= 1) yield fileIn(folder, ids[index]!);
    },
  };
}

/** The newest complete snapshot. */
export async function newestSnapshot({ newestFirst }: LedgerDirectory): Promise<SnapshotFile | undefined> {
  for await (const file of newestFirst()) return file;
  return undefined;
}

/** The file names of a snapshot, whether or not they exist. */
export function snapshotFile(ledger: string, id: string): SnapshotFile {
  return fileIn(join(ledger, SNAPSHOTS), id);
}

function fileIn(folder: string, id: string): SnapshotFile {
  const base = `${folder}${sep}${id}`;
  return { id, events: `${base}${EVENTS}`, checkpoint: `${base}${CHECKPOINT}` };
}

/** Ids of a ledger's snapshots, in order, and of those which lack one of their files in the listing. */
interface Listing {
  ids: readonly string[];
  unpaired: readonly string[];
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
  const ids: string[] = [];
  const unpaired = new Set<string>();
  // In this order, the two files of a snapshot follow each other.
  for (const name of names.sort()) {
    const ending = [EVENTS, CHECKPOINT].find((one) => name.endsWith(one));
    if (ending === undefined) continue;
    const id = name.slice(0, -ending.length);
    if (id === ids.at(-1)) unpaired.delete(id);
    else {
      assertSlot(id, name);
      ids.push(id);
      unpaired.add(id);
    }
  }
  const newest = ids.at(-1);
  // The checkpoint is written last. Without it, the newest snapshot is incomplete and does not count.
  if (newest !== undefined && unpaired.has(newest) && !names.includes(`${newest}${CHECKPOINT}`))
    unpaired.delete(ids.pop()!);
  return { ids, unpaired: [...unpaired] };
}

/** Expects both files of each snapshot later than `after`. Throws ledger_unreadable. */
async function assertPairs(folder: string, unpaired: readonly string[], after: string | null): Promise<void> {
  for (const id of unpaired) {
    if (after !== null && id <= after) continue;
    const { events, checkpoint } = fileIn(folder, id);
    await assertPresent(events, `${SNAPSHOTS}/${id}${EVENTS}`);
    await assertPresent(checkpoint, `${SNAPSHOTS}/${id}${CHECKPOINT}`);
  }
}

/** Throws ledger_order. */
function assertSlot(id: string, name: string): void {
  if (isSlotId(id)) return;
  throw new CathedralError('ledger_order', {
    place: `${SNAPSHOTS}/${name}`,
    expected: `a slot like 2025-12-01T06Z before ${name.slice(id.length)}`,
    found: JSON.stringify(id),
  });
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
