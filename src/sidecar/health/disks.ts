import { type Dirent, statfs } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { SNAPSHOTS } from '../../../pipeline/release/format/snapshot-index.ts';

/** Bytes of a file system, `free`: what this user may still write; and its inodes, one for each file, 0 where it has no fixed number. */
export interface Disk {
  free: number;
  size: number;
  freeInodes: number;
  inodes: number;
}

const readStatfs = promisify(statfs);

/** The file system of a folder, or of the nearest folder above it that exists; null if it does not say. */
export async function readDisk(folder: string): Promise<Disk | null> {
  try {
    const { bavail, blocks, bsize, files, ffree } = await readStatfs(folder);
    return { free: bavail * bsize, size: blocks * bsize, freeInodes: ffree, inodes: files };
  } catch (error) {
    const above = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) return null;
    return readDisk(above);
  }
}

/** Bytes of the files in a folder and below; 0 if there is none. */
export async function folderBytes(folder: string): Promise<number> {
  const entries: Dirent[] = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const size = await stat(join(entry.parentPath, entry.name)).then(
      (found) => found.size,
      // Removed meanwhile.
      () => 0,
    );
    bytes += size;
  }
  return bytes;
}

export interface SnapshotTotals {
  count: number;
  /** Of their files, including those that they share with a release as hard links. */
  bytes: number;
}

/**
 * Number and size of the snapshots below OUT. A snapshot never changes, so each is measured once; that happens in the background, since
 * the first time may take seconds after years.
 */
export class SnapshotSizes {
  readonly #out: string;
  readonly #known = new Map<string, number>();
  #totals: SnapshotTotals | null = null;
  #measuring: Promise<void> | null = null;

  constructor(out: string) {
    this.#out = out;
  }

  /** As of the last measurement; null before the first. Starts the next one. */
  read(): SnapshotTotals | null {
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = null;
    });
    return this.#totals;
  }

  async #measure(): Promise<void> {
    const folder = join(this.#out, SNAPSHOTS);
    const ids = (await readdir(folder).catch(() => [])).filter(isSlotId);
    for (const id of ids) if (!this.#known.has(id)) this.#known.set(id, await folderBytes(join(folder, id)));
    for (const id of this.#known.keys()) if (!ids.includes(id)) this.#known.delete(id);
    const bytes = [...this.#known.values()].reduce((sum, size) => sum + size, 0);
    this.#totals = { count: ids.length, bytes };
  }
}
