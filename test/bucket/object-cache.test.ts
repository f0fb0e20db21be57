import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { blobKey } from '../../pipeline/bucket/layout.ts';
import { ObjectCache } from '../../pipeline/bucket/object-cache.ts';
import type { ObjectStore } from '../../pipeline/objects/object-store.ts';
import { type Blob, sha256 } from '../../pipeline/release/format/manifest.ts';
import { InProcessStore } from '../engines/in-process-store.ts';
import { meanwhile } from '../meanwhile.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';
import { openStore } from './pushed-releases.ts';

const MAX_BYTES = 10_000;

let engine: InProcessStore;
let store: ObjectStore;
/** Twenty blobs of 1,000 bytes. */
let blobs: Blob[];

beforeAll(async () => {
  engine = await InProcessStore.start();
  store = await openStore(engine.bucket(), 'write');
  blobs = [];
  for (let at = 0; at < 20; at += 1) {
    const bytes = Buffer.alloc(1000, at + 1);
    blobs.push({ sha256: sha256(bytes), bytes: bytes.length });
    await store.put(blobKey(blobs[at]!.sha256), { bytes, sha256: blobs[at]!.sha256 });
  }
});
afterAll(() => {
  store.close();
  engine.stop();
});
beforeEach(() => {
  engine.plan = () => null;
  engine.calls.length = 0;
});

async function openCache(folder?: string) {
  return ObjectCache.open({ folder: folder ?? (await temporaryFolder()), maxBytes: MAX_BYTES, store });
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(folder)).map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('the cache', () => {
  test('fetches an object once for concurrent requests, and keeps it', async () => {
    const cache = await openCache();
    const found = await Promise.all(Array.from({ length: 50 }, () => cache.readBlob(blobs[0]!)));
    expect(found.every((bytes) => sha256(bytes) === blobs[0]!.sha256)).toBe(true);
    expect(engine.calls).toHaveLength(1);
    engine.plan = () => 'lost';
    expect(await cache.readBlob(blobs[0]!)).toHaveLength(1000);
  });

  test('stays below its bound under parallel load, and removes what was not used for longest', async () => {
    const folder = await temporaryFolder();
    const cache = await openCache(folder);
    let most = 0;
    const watch = async (isOver: () => boolean) => {
      while (!isOver()) most = Math.max(most, await bytesIn(folder), cache.bytes);
    };
    await meanwhile(async () => {
      for (let round = 0; round < 10; round += 1)
        await Promise.all(
          Array.from({ length: 8 }, async (_, lane) => {
            const blob = blobs[(round * 7 + lane * 3) % 20]!;
            expect(sha256(await cache.readBlob(blob))).toBe(blob.sha256);
          }),
        );
    }, watch);
    expect(most).toBeGreaterThan(5000);
    expect(most).toBeLessThanOrEqual(MAX_BYTES);
    expect(await bytesIn(folder)).toBe(cache.bytes);
    for (const blob of blobs.slice(0, 10)) await cache.readBlob(blob);
    await cache.readBlob(blobs[0]!);
    await cache.readBlob(blobs[10]!);
    const names = await readdir(folder);
    expect([names.includes(blobs[0]!.sha256), names.includes(blobs[1]!.sha256)]).toEqual([true, false]);
  });

  test('does not remove a file that is being read, and refuses what does not fit beside it', async () => {
    const cache = await openCache();
    const open = await Promise.all(blobs.slice(0, 10).map((blob) => cache.open(blob)));
    expect(await failureOf(() => cache.open(blobs[10]!))).toMatchObject({ code: 'disk_full' });
    for (const [at, handle] of open.entries())
      expect(sha256(await handle.readFile())).toBe(blobs[at]!.sha256);
    await open[3]!.close();
    expect(await cache.readBlob(blobs[10]!)).toHaveLength(1000);
    expect(cache.bytes).toBe(MAX_BYTES);
    await Promise.all(open.map((handle) => handle.close()));
  });

  test.each(['altered', 'shortened'] as const)('fetches an %s object again', async (fault) => {
    const cache = await openCache();
    engine.plan = (_, number) => (number === 1 ? fault : null);
    expect(sha256(await cache.readBlob(blobs[2]!))).toBe(blobs[2]!.sha256);
  });

  test('refuses an object that stays damaged, keeps nothing of it, and asks again the next time', async () => {
    const folder = await temporaryFolder();
    const cache = await openCache(folder);
    engine.plan = () => 'altered';
    expect(await failureOf(() => cache.readBlob(blobs[4]!))).toMatchObject({
      code: 'release_invalid',
      place: `${store.name}/${blobKey(blobs[4]!.sha256)}`,
    });
    expect([await readdir(folder), cache.bytes]).toEqual([[], 0]);
    engine.plan = () => null;
    expect(await cache.readBlob(blobs[4]!)).toHaveLength(1000);
  });

  test('takes over what an earlier process left, and fetches what is damaged', async () => {
    const folder = await temporaryFolder();
    const before = await openCache(folder);
    for (const blob of blobs.slice(0, 3)) await before.readBlob(blob);
    await writeFile(join(folder, blobs[1]!.sha256), Buffer.alloc(1000));
    await writeFile(join(folder, `${blobs[5]!.sha256}.part`), 'begun');
    engine.calls.length = 0;
    const cache = await openCache(folder);
    expect(cache.bytes).toBe(3000);
    for (const blob of blobs.slice(0, 3)) expect(sha256(await cache.readBlob(blob))).toBe(blob.sha256);
    expect(engine.calls.map(({ key }) => key)).toEqual([blobKey(blobs[1]!.sha256)]);
    expect(await readdir(folder)).toHaveLength(3);
  });
});
