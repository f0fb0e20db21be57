import type { TileReader } from '../log/tile-reader.ts';
import { inParallel } from '../publish/in-parallel.ts';
import type { PublicManifest } from '../publish/public-manifest.ts';
import type { SnapshotEntry } from '../publish/snapshot-index.ts';
import { mismatch } from './mismatch.ts';
import type { Origin } from './origin.ts';
import { assertEnded, type Ended, readSnapshot, readSnapshotList, storedFiles } from './snapshot-list.ts';
import type { Findings } from './verification.ts';
import { verifyFile } from './verify-files.ts';

export interface SnapshotsWork {
  origin: Origin;
  reader: TileReader;
  manifest: PublicManifest;
  choose: <T>(all: readonly T[]) => readonly T[];
  findings: Findings;
  parallel: number;
}

/** Of the snapshots those that `choose` takes, every byte of them. Gives how many of how many; null where there are none. */
export async function verifySnapshots(work: SnapshotsWork): Promise<{ read: number; all: number } | null> {
  const list = await readSnapshotList(work.origin);
  if (!list) return null;
  const chosen = work.choose(list.index);
  for (const entry of chosen) await work.findings.attempt(() => verifySnapshot(entry, work));
  return { read: chosen.length, all: list.index.length };
}

async function verifySnapshot(entry: SnapshotEntry, work: SnapshotsWork): Promise<void> {
  const { origin, reader, findings, parallel } = work;
  const { snapshot } = await readSnapshot(origin, entry, reader);
  const place = origin.placeOf(entry.index.path);
  const stored = storedFiles(snapshot, place);
  await inParallel(stored, parallel, async ({ url, sha256, bytes }) => {
    await findings.attempt(() => verifyFile(origin, { path: url, sha256, bytes }));
  });
  for (const file of snapshot.files) {
    if ('range' in file) await findings.attempt(() => verifyEnded(file, work, place));
  }
}

async function verifyEnded(file: Ended, { origin, manifest }: SnapshotsWork, place: string): Promise<void> {
  const { of, last } = file.range;
  const current = manifest.files.find(({ path }) => path === of);
  if (!current || current.bytes < last)
    throw mismatch(`${place}: ${file.path}`, `${last} bytes of ${of} in the release`, 'none, or fewer');
  const from = current.bytes - last;
  await origin.retrying(of, async () => {
    const opened = await origin.open(of, { from });
    if (opened === null || opened === 'unchanged')
      throw mismatch(origin.placeOf(of), 'a file', 'no such file');
    await assertEnded(file, after(opened.body, from - opened.from), place);
  });
}

/** What comes after so many bytes: a host may begin before the byte that was asked for. */
async function* after(body: AsyncIterable<Uint8Array>, skip: number): AsyncGenerator<Uint8Array> {
  let left = skip;
  for await (const chunk of body) {
    if (chunk.length > left) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
