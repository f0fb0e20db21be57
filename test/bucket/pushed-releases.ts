import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { POINTER_KEY } from '../../pipeline/bucket/layout.ts';
import { formatPointer, type Pointed, type Pointer } from '../../pipeline/bucket/pointer.ts';
import { openPush } from '../../pipeline/bucket/push.ts';
import { type ObjectStore, openObjectStore } from '../../pipeline/objects/object-store.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { CREDENTIALS } from '../engines/object-store.ts';
import { BASE_URL, smallService } from '../release/small-service.ts';
import { madeOnce } from '../site/made-once.ts';

export const SNAPSHOTS = { snapshots: { days: 366 } };

/** Opens a store of the tests, which is near: its faults pass at once. */
export function openStore(address: string, access: 'read' | 'write' = 'read'): Promise<ObjectStore> {
  const options = { access, software: 'test/0', attempts: 2, wait: async () => {} };
  return openObjectStore(address, CREDENTIALS, options);
}

export interface Pushed {
  pointed: Pointed;
  /** The publisher's folder as it was after this release. */
  out: string;
}

/** The folders of a publisher after its first releases, one after each of these numbers of events. */
async function releasesIn(folder: string, counts: readonly number[]): Promise<string[]> {
  const service = smallService(folder);
  const outs: string[] = [];
  for (const [at] of counts.entries()) {
    await service.seal(...counts.slice(0, at + 1));
    await service.publish(SNAPSHOTS);
    const out = join(folder, `out-${at + 1}`);
    await cp(service.out, out, { recursive: true, verbatimSymlinks: true });
    outs.push(out);
  }
  return outs;
}

/** The folders after a release of 300 events, one of 560 and one of 600, and that of the keys. All files share them, so copy what is to change. */
export function smallReleases(): Promise<{ outs: string[]; keys: string }> {
  return madeOnce('small-releases', async (folder) => ({
    outs: await releasesIn(folder, [300, 260, 40]),
    keys: join(folder, 'keys'),
  }));
}

/** Publishes a release after each of these numbers of events, and pushes all of them. No pointer is set. */
export async function pushReleases(
  folder: string,
  store: ObjectStore,
  counts: readonly number[],
): Promise<Pushed[]> {
  return pushAll(store, await releasesIn(folder, counts));
}

/** Pushes the current release of each of these folders. No pointer is set. */
export async function pushAll(objects: ObjectStore, outs: readonly string[]): Promise<Pushed[]> {
  const pushed: Pushed[] = [];
  for (const [at, out] of outs.entries()) {
    const previous = pushed.at(-1)?.pointed ?? null;
    const push = await openPush({ out, objects, service: BASE_URL, previous, parallel: 8, log: () => {} });
    const pointed = await push.release((await readCurrent(out))!);
    pushed.push({ pointed: { ...pointed, epoch: at + 1 }, out });
  }
  return pushed;
}

/** Replaces the pointer. `switchAt`: ms since 1970. */
export async function pointTo(
  store: ObjectStore,
  pointed: Pointed,
  switchAt: number,
  status: Pointer['status'] = null,
): Promise<void> {
  const text = formatPointer({ ...pointed, switch_at: new Date(switchAt).toISOString(), status });
  const bytes = Buffer.from(text);
  await store.put(POINTER_KEY, { bytes, sha256: sha256(bytes) });
}
