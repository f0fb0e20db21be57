import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import { isSlotId } from '../../ledger/events/slot.ts';
import { sha256 } from '../../release/format/manifest.ts';
import {
  INDEX,
  parseSnapshot,
  parseSnapshotIndex,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotEntry,
  type SnapshotIndex,
} from '../../release/format/snapshot-index.ts';

/** A snapshot's folder and its entry in the snapshot list. Throws release_invalid. */
export async function readPublished(
  out: string,
  id: string,
): Promise<{ snapshot: Snapshot; entry: SnapshotEntry }> {
  const path = `${SNAPSHOTS}/${id}/${INDEX}`;
  const place = join(out, path);
  const text = await readFile(place).catch((cause: NodeJS.ErrnoException) => {
    const expected = 'the index of a snapshot';
    throw new CathedralError('release_invalid', { place, expected, found: `${cause.code}`, cause });
  });
  const snapshot = parseSnapshot(text.toString(), place);
  if (snapshot.id !== id)
    throw new CathedralError('release_invalid', { place, expected: `snapshot ${id}`, found: snapshot.id });
  const { release, as_of, log } = snapshot;
  const index = { path, sha256: sha256(text), bytes: text.length };
  return { snapshot, entry: { id, release, as_of, log_size: log.size, root_hash: log.root_hash, index } };
}

/** Ids of the snapshots whose folders exist, in any order. */
export async function publishedIds(out: string): Promise<string[]> {
  return (await readdir(join(out, SNAPSHOTS)).catch(() => [])).filter(isSlotId);
}

/** The list's entries of the existing snapshots, and entries made from the indexes of unlisted ones. Throws release_invalid. */
export async function publishedEntries(
  out: string,
): Promise<{ known: SnapshotIndex; unlisted: SnapshotEntry[] }> {
  const ids = await publishedIds(out);
  const there = new Set(ids);
  const known = ((await readIndex(out)) ?? []).filter(({ id }) => there.has(id));
  const listed = new Set(known.map(({ id }) => id));
  const unlisted: SnapshotEntry[] = [];
  for (const id of ids) if (!listed.has(id)) unlisted.push((await readPublished(out, id)).entry);
  return { known, unlisted };
}

/** `OUT/snapshots/index.json`; null if it does not exist. Throws release_invalid. */
export async function readIndex(out: string): Promise<SnapshotIndex | null> {
  const place = join(out, SNAPSHOTS, INDEX);
  const text = await readFile(place, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw new CathedralError('release_invalid', {
      place,
      expected: 'the index of snapshots',
      found: `${cause.code}`,
      cause,
    });
  });
  return text === null ? null : parseSnapshotIndex(text, place);
}
