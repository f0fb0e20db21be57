import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { POINTER_KEY } from '../../pipeline/bucket/layout.ts';
import { formatPointer, type Pointed, type Pointer } from '../../pipeline/bucket/pointer.ts';
import { openPush } from '../../pipeline/bucket/push.ts';
import { type ObjectStore, openObjectStore } from '../../pipeline/objects/object-store.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { CREDENTIALS } from '../engines/object-store.ts';
import { BASE_URL, type SmallService, smallService } from '../release/small-service.ts';

export const SNAPSHOTS = { snapshots: { days: 366 } };

/** Opens a store of the tests, which is near: its faults pass at once. */
export function openStore(address: string, access: 'read' | 'write' = 'read'): Promise<ObjectStore> {
  const options = { access, software: 'test/0', attempts: 2, wait: async () => {} };
  return openObjectStore(address, CREDENTIALS, options);
}

export interface Pushed {
  service: SmallService;
  pointed: Pointed;
  /** A copy of the publisher's folder as it was after this release. */
  out: string;
}

/** Publishes a release after each of these numbers of events, and pushes all of them. No pointer is set. */
export async function pushReleases(
  folder: string,
  store: ObjectStore,
  counts: readonly number[],
): Promise<Pushed[]> {
  const service = smallService(folder);
  const pushed: Pushed[] = [];
  for (const [at] of counts.entries()) {
    await service.seal(...counts.slice(0, at + 1));
    await service.publish(SNAPSHOTS);
    const previous = pushed.at(-1)?.pointed ?? null;
    const push = {
      out: service.out,
      objects: store,
      service: BASE_URL,
      previous,
      parallel: 8,
      log: () => {},
    };
    const pointed = await (await openPush(push)).release((await readCurrent(service.out))!);
    const out = join(folder, `out-${at + 1}`);
    await cp(service.out, out, { recursive: true, verbatimSymlinks: true });
    pushed.push({ service, pointed: { ...pointed, epoch: at + 1 }, out });
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
