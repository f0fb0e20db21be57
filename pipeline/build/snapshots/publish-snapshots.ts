import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors, replaceFiles } from '../../disk/durable.ts';
import { removeWhole } from '../../release/disk/remove-left-overs.ts';
import { type Manifest, sha256 } from '../../release/format/manifest.ts';
import type { Published } from '../../release/format/release.ts';
import {
  formatSignedList,
  formatSnapshotIndex,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  type ListedSnapshot,
  OLD_HISTORIES,
  SNAPSHOTS,
  type SnapshotIndex,
} from '../../release/format/snapshot-index.ts';
import { locateHistories } from './old-histories.ts';
import { publishSnapshot } from './publish-snapshot.ts';
import { publishedEntries } from './read-published.ts';
import { retained } from './retained.ts';

/** The page of the list. */
const PAGE = `${SNAPSHOTS}/index.html`;

export interface SnapshotOptions {
  /** For how many days before the newest every snapshot is kept. */
  days: number;
}

interface Means extends SnapshotOptions {
  /** Signs a text with the keys of the release; null: the release is not signed. */
  sign: ((text: string) => string) | null;
  /** The page of the list, rendered with the site; null for a release without pages. Omitted: what is there stays. */
  page?: string | null | undefined;
  /** Records the snapshots that are about to be listed. */
  record?: ((index: SnapshotIndex) => Promise<void>) | null;
}

/**
 * Publishes the data files of a release as a snapshot before the release becomes current, lists it, and removes snapshots past
 * retention. Each step is atomic and idempotent, so the next run completes one that was killed. Throws publish_failed, and
 * release_invalid for a damaged snapshot.
 */
export async function publishSnapshots(
  out: string,
  release: Published,
  { days, sign, page, record }: Means,
): Promise<void> {
  const { manifest } = release;
  await publishSnapshot(out, release);
  const { known, unlisted } = await publishedEntries(out);
  const entries = await locateHistories(out, release, known, unlisted);
  const ids = entries.map(({ id }) => id);
  const kept = new Set(retained(ids, days));
  const index = entries.filter(({ id }) => kept.has(id)).sort((a, b) => (a.id < b.id ? 1 : -1));
  const list = formatSnapshotIndex(index);
  await record?.(index);
  await writeList(out, { list, page, note: noteOf(list, manifest, sign) });
  await removeOld(
    out,
    ids.filter((id) => !kept.has(id)),
    index,
  );
}

/** The snapshots that will be listed, newest first, when this one is published as well. */
export async function upcomingList(
  out: string,
  next: ListedSnapshot,
  { days }: Pick<SnapshotOptions, 'days'>,
): Promise<ListedSnapshot[]> {
  const { known, unlisted } = await publishedEntries(out);
  const all = new Map([next, ...known, ...unlisted].map((entry) => [entry.id, entry]));
  return retained([...all.keys()], days).map((id) => all.get(id)!);
}

/** Writes only files that differ. `note`: null for none. */
async function writeList(
  out: string,
  { list, page, note }: { list: string; page: string | null | undefined; note: string | null },
): Promise<void> {
  // The signature comes last: readers who see the new one see the new list.
  const wanted: [string, string | null | undefined][] = [
    [join(out, PAGE), page],
    [join(out, LIST_PATH), list],
    [join(out, LIST_SIGNATURE_PATH), note],
  ];
  const changed: [string, string][] = [];
  for (const [place, text] of wanted) {
    const found = await readFile(place, 'utf8').catch(() => null);
    if (typeof text === 'string' && found !== text) changed.push([place, text]);
  }
  await replaceFiles(changed);
  for (const [place, text] of wanted)
    if (text === null) await asDiskErrors(place, () => rm(place, { force: true }));
}

/** Covers the list and the version of the release: otherwise an older list could be served with it. */
function noteOf(list: string, { signed }: Manifest, sign: Means['sign']): string | null {
  if (!signed || !sign) return null;
  const { version } = signed;
  return sign(formatSignedList({ version, sha256: sha256(list), bytes: Buffer.byteLength(list) }));
}

async function removeOld(out: string, ids: readonly string[], index: SnapshotIndex): Promise<void> {
  const used = new Set(index.flatMap(({ histories = {} }) => Object.values(histories)));
  const histories = await readdir(join(out, OLD_HISTORIES)).catch(() => []);
  await removeWhole(out, [
    ...ids.map((id) => `${SNAPSHOTS}/${id}`),
    ...histories.map((name) => `${OLD_HISTORIES}/${name}`).filter((path) => !used.has(path)),
  ]);
}
