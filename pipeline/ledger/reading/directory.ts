import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { exists } from '../../disk/durable.ts';
import { type CathedralError, errorOf } from '../../errors.ts';
import { isSlotId } from '../events/slot.ts';

const unreadable = errorOf('ledger_unreadable');

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
}

/** A ledger as a folder: `snapshots/<id>.ndjson.zst`, `snapshots/<id>.checkpoint`, `head.ndjson`. */
export function openDirectory(path: string): LedgerDirectory {
  return directoryOf(path, () => listSnapshots(path));
}

/** A ledger as it is when its snapshots are first asked for, which a run does several times. */
export function openListed(path: string): LedgerDirectory {
  let listing: Promise<Listing> | null = null;
  return directoryOf(path, () => {
    listing ??= listSnapshots(path);
    return listing;
  });
}

function directoryOf(path: string, listing: () => Promise<Listing>): LedgerDirectory {
  return {
    path,
    head: join(path, 'head.ndjson'),
    async snapshots(after) {
      const { slots, misnamed } = await listing();
      const found = after === null ? slots : slots.slice(slots.findLastIndex(({ id }) => id <= after) + 1);
      const fault = misnamed[0] ?? found.map(missingFile).find((one) => one !== null);
      if (fault) throw fault;
      return found;
    },
  };
}

/** The file names of a snapshot, whether or not they exist. */
export function snapshotFile(ledger: string, id: string): SnapshotFile {
  const base = `${join(ledger, SNAPSHOTS)}${sep}${id}`;
  return { id, events: `${base}${EVENTS}`, checkpoint: `${base}${CHECKPOINT}` };
}

/** A snapshot in a ledger's folder, of which one file may be missing. */
export interface Slot extends SnapshotFile {
  missing: 'events' | 'checkpoint' | null;
}

export interface Listing {
  /** Oldest first. */
  slots: Slot[];
  /** A newest snapshot without a checkpoint, which is written last: it does not count. */
  unfinished: SnapshotFile | null;
  /** Files of a snapshot whose name is no slot. */
  misnamed: CathedralError[];
  /** Names of other files. */
  others: string[];
}

const NOT_LISTED: Readonly<Record<string, string>> = {
  ENOENT: 'nothing: “cathedral ledger init” makes a ledger',
  ENOTDIR: 'a file: csv+file:PATH and ndjson+file:PATH are addresses of files with rows',
};

/** Lists a ledger's folder `snapshots`. Throws `ledger_unreadable` if it is missing or cannot be read. */
export async function listSnapshots(ledger: string): Promise<Listing> {
  const names = await readdir(join(ledger, SNAPSHOTS)).catch((cause: NodeJS.ErrnoException) => {
    const found = NOT_LISTED[cause.code!] ?? `${cause.code}`;
    throw unreadable(ledger, 'a folder snapshots', found, cause);
  });
  const endings = new Map<string, string[]>();
  const [misnamed, others]: [CathedralError[], string[]] = [[], []];
  for (const name of names.sort()) {
    const ending = [EVENTS, CHECKPOINT].find((one) => name.endsWith(one));
    const id = name.slice(0, -(ending ?? '').length);
    if (ending === undefined) others.push(name);
    else if (isSlotId(id)) endings.getOrInsertComputed(id, () => []).push(ending);
    else {
      const expected = `a slot like 2025-12-01T06Z before ${ending}`;
      misnamed.push(errorOf('ledger_order')(`${SNAPSHOTS}/${name}`, expected, JSON.stringify(id)));
    }
  }
  const slots: Slot[] = [];
  for (const [id, found] of endings) slots.push(await slotOf(snapshotFile(ledger, id), found));
  const unfinished = slots.at(-1)?.missing === 'checkpoint' ? slots.pop()! : null;
  return { slots, unfinished, misnamed, others };
}

/** A listing is not atomic: a file that was renamed into place meanwhile may be missing from it. */
async function slotOf(file: SnapshotFile, endings: readonly string[]): Promise<Slot> {
  if (endings.length === 2) return { ...file, missing: null };
  const missing = endings.includes(EVENTS) ? 'checkpoint' : 'events';
  return { ...file, missing: (await exists(file[missing])) ? null : missing };
}

/** The error for a snapshot without one of its files. */
export function missingFile({ id, missing }: Slot): CathedralError | null {
  if (missing === null) return null;
  const place = `${SNAPSHOTS}/${id}${missing === 'events' ? EVENTS : CHECKPOINT}`;
  return unreadable(place, 'both files of the snapshot', 'none here');
}
