import { createHash } from 'node:crypto';
import { copyFile, link, mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, sync } from '../../disk/durable.ts';
import {
  sha256 as digest,
  type Manifest,
  parseManifest,
  type Segment,
  storedAt,
} from '../../release/format/manifest.ts';
import { OLD_HISTORIES, type SnapshotEntry, type SnapshotFile } from '../../release/format/snapshot-index.ts';
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

const CHUNK = 1 << 20;

/** A history of an older snapshot. */
type EndedFile = Extract<SnapshotFile, { range: unknown }>;

/** Whether an older history equals its own header plus the end of the file at `place`. Reads all of that end. */
async function isEndOf(place: string, { head, range, sha256, bytes }: EndedFile): Promise<boolean> {
  if (Buffer.byteLength(head) + range.last !== bytes) return false;
  // A history without rows is the end of any file.
  if (range.last === 0) return digest(head) === sha256;
  await using handle = await open(place).catch(() => null);
  const start = handle ? (await handle.stat()).size - range.last : -1;
  if (!handle || start < 0) return false;
  const hash = createHash('sha256').update(head);
  for await (const chunk of handle.createReadStream({ start, autoClose: false, highWaterMark: CHUNK }))
    hash.update(chunk);
  return hash.digest('hex') === sha256;
}

/**
 * Whether a history extends that of an earlier release of the same software: its full segments are the same, and the last one has the
 * same end. Needs only hashes and one segment, whatever the history's length.
 */
async function extendsHistory(before: Manifest, now: Manifest, dir: string, path: string): Promise<boolean> {
  if (before.software !== now.software) return false;
  const newer = new Map(now.segments[path]?.map((segment) => [segment.first_row, segment]));
  for (const old of before.segments[path] ?? []) {
    const segment = newer.get(old.first_row);
    if (segment?.sha256 === old.sha256) continue;
    if (!segment || segment.bytes < old.bytes || !(await endsWith(dir, segment, old))) return false;
  }
  return true;
}

async function endsWith(dir: string, { file, bytes }: Segment, old: Segment): Promise<boolean> {
  await using handle = await open(join(dir, file)).catch(() => null);
  if (!handle) return false;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(old.bytes), 0, old.bytes, bytes - old.bytes);
  return bytesRead === old.bytes && digest(buffer) === old.sha256;
}
