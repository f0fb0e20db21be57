import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { guarded, replaceFile } from '../publish/durable.ts';
import { type Manifest, sha256 } from '../publish/manifest.ts';
import type { Published } from '../publish/release.ts';
import {
  formatSignedList,
  formatSnapshotIndex,
  LIST_PATH,
  LIST_SIGNATURE_PATH,
  OLD_HISTORIES,
  SNAPSHOTS,
  type SnapshotIndex,
} from '../publish/snapshot-index.ts';
import { indexPage } from './index-page.ts';
import { keepSnapshot, SNAPSHOT_STAGING } from './keep-snapshot.ts';
import { keepLook } from './look.ts';
import { placeHistories } from './old-histories.ts';
import { keptEntries } from './read-kept.ts';
import { retained } from './retained.ts';

export interface SnapshotOptions {
  /** For how many days before the newest all snapshots are kept. */
  days: number;
  /** Goes on without snapshots that were signed and are not there. Default false: nothing is published then. */
  givesUp?: boolean;
}

interface Means extends SnapshotOptions {
  baseUrl: string;
  /** A note of the text by the keys that have signed the release; null: the release is not signed. */
  sign: ((text: string) => string) | null;
  /** Puts what is about to be listed on record. */
  record?: ((index: SnapshotIndex) => Promise<void>) | null;
}

/**
 * Keeps the data files of a release, before it is served, as a snapshot, lists it, and removes what is over age. Each step is
 * whole when it can be seen, and does nothing where it was done before: a run that was killed is completed by the next
 * one. Throws publish_failed, and release_invalid for a snapshot that is damaged.
 */
export async function publishSnapshots(
  out: string,
  release: Published,
  { days, baseUrl, sign, record }: Means,
): Promise<void> {
  const { manifest } = release;
  const hasPages = manifest.files.some(({ kind }) => kind === 'page');
  const look = hasPages ? { baseUrl, style: await keepLook(out) } : null;
  await keepSnapshot(out, release, look);
  const { known, unlisted } = await keptEntries(out);
  const entries = await placeHistories(out, release, known, unlisted);
  const ids = entries.map(({ id }) => id);
  const kept = new Set(retained(ids, days));
  const index = entries.filter(({ id }) => kept.has(id)).sort((a, b) => (a.id < b.id ? 1 : -1));
  const list = formatSnapshotIndex(index);
  await record?.(index);
  if (look) await writeChanged(join(out, SNAPSHOTS, 'index.html'), indexPage(index, days, look));
  await writeChanged(join(out, LIST_PATH), list);
  // The last of the two: who sees the new signature sees the new list.
  await writeSignature(out, list, manifest, sign);
  await removeOld(
    out,
    ids.filter((id) => !kept.has(id)),
    index,
  );
}

/** Leaves a file that is as it should be alone. */
async function writeChanged(place: string, text: string): Promise<void> {
  const found = await readFile(place, 'utf8').catch(() => null);
  if (found !== text) await replaceFile(place, text);
}

/** Over the list and the version of the release, or an older list could be shown with it. */
async function writeSignature(
  out: string,
  list: string,
  { signed }: Manifest,
  sign: Means['sign'],
): Promise<void> {
  const place = join(out, LIST_SIGNATURE_PATH);
  if (!signed || !sign) return guarded(place, () => rm(place, { force: true }));
  const { version } = signed;
  const text = formatSignedList({ version, sha256: sha256(list), bytes: Buffer.byteLength(list) });
  await writeChanged(place, sign(text));
}

/** What is no longer listed goes away at once, and is removed then: half a snapshot is never to be seen. */
async function removeOld(out: string, ids: readonly string[], index: SnapshotIndex): Promise<void> {
  const used = new Set(index.flatMap(({ histories = {} }) => Object.values(histories)));
  const histories = await readdir(join(out, OLD_HISTORIES)).catch(() => []);
  const places = [
    ...ids.map((id) => `${SNAPSHOTS}/${id}`),
    ...histories.map((name) => `${OLD_HISTORIES}/${name}`).filter((path) => !used.has(path)),
  ];
  for (const path of places) {
    const aside = join(out, `${SNAPSHOT_STAGING}${basename(path)}`);
    await guarded(join(out, path), async () => {
      await rm(aside, { recursive: true, force: true });
      await rename(join(out, path), aside);
      await rm(aside, { recursive: true, force: true });
    });
  }
}
