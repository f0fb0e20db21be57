import { copyFile, link, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, sync } from '../../disk/durable.ts';
import { type Manifest, parseManifest, storedAt } from '../../release/format/manifest.ts';
import { OLD_HISTORIES, type SnapshotEntry } from '../../release/format/snapshot-index.ts';
import { type EndedFile, extendsHistory, isEndOf } from './history-ranges.ts';
import { readPublished } from './read-published.ts';

interface Release {
  dir: string;
  manifest: Manifest;
}

/**
 * Adds to the entries of an index the place of each history that the release no longer ends with, because a new version of the
 * software writes its rows differently. The old file is then stored, as the only copy of a history outside the releases. Checks only
 * the entries in `doubtful`; the result for the newest of `listed` applies to all of them.
 */
export async function locateHistories(
  out: string,
  release: Release,
  listed: readonly SnapshotEntry[],
  doubtful: readonly SnapshotEntry[],
): Promise<SnapshotEntry[]> {
  let older = listed;
  const [newest] = listed;
  if (newest && newest.release !== release.manifest.release) {
    const moved = await movedOf(out, release, newest);
    older = listed.map((entry) => withMoved(entry, moved));
  }
  const others: SnapshotEntry[] = [];
  for (const entry of doubtful) {
    const own = entry.release === release.manifest.release;
    others.push(own ? entry : withMoved(entry, await movedOf(out, release, entry)));
  }
  return [...older, ...others];
}

/** Known places take precedence: they were found while the old file existed. */
function withMoved(entry: SnapshotEntry, moved: Record<string, string | null>): SnapshotEntry {
  const histories = { ...moved, ...entry.histories };
  return Object.keys(histories).length === 0 ? entry : { ...entry, histories };
}

async function movedOf(
  out: string,
  release: Release,
  entry: SnapshotEntry,
): Promise<Record<string, string | null>> {
  const { files } = (await readPublished(out, entry.id)).snapshot;
  const folders = await readdir(join(out, 'releases')).catch(() => []);
  const folder = folders.find((name) => name.startsWith(entry.release)) ?? entry.release;
  const before = await manifestOf(join(out, 'releases', folder));
  const moved: Record<string, string | null> = {};
  for (const file of files) {
    if (!('range' in file) || entry.histories?.[file.range.of] !== undefined) continue;
    const { of } = file.range;
    if (before && (await extendsHistory(before, release.manifest, release.dir, of))) continue;
    if (await isEndOf(join(release.dir, 'public', of), file)) continue;
    moved[of] = await findOld(out, file);
  }
  return moved;
}

/** Where the old version of a history still exists: stored earlier, or in a release that has not been removed yet. */
async function findOld(out: string, file: EndedFile): Promise<string | null> {
  const folder = join(out, OLD_HISTORIES);
  for (const name of await readdir(folder).catch(() => []))
    if (await isEndOf(join(folder, name), file)) return `${OLD_HISTORIES}/${name}`;
  for (const id of await readdir(join(out, 'releases')).catch(() => [])) {
    const dir = join(out, 'releases', id);
    const manifest = await manifestOf(dir);
    const found = manifest?.files.find(({ path }) => path === file.range.of);
    if (!found || !(await isEndOf(join(dir, storedAt(found)), file))) continue;
    await keep(join(dir, storedAt(found)), folder, found.sha256);
    return `${OLD_HISTORIES}/${found.sha256}`;
  }
  return null;
}

function keep(place: string, folder: string, name: string): Promise<void> {
  return asDiskErrors(folder, async () => {
    await mkdir(folder, { recursive: true });
    await link(place, join(folder, name)).catch(() => copyFile(place, join(folder, name)));
    await sync(join(folder, name));
    await sync(folder);
  });
}

async function manifestOf(dir: string): Promise<Manifest | null> {
  const place = join(dir, 'manifest.json');
  return readFile(place, 'utf8')
    .then((text) => parseManifest(text, place))
    .catch(() => null);
}
