import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Releases } from '../../../src/sidecar/files/releases.ts';
import { tinyReleases } from '../../bucket/tiny-releases.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

test('a release that somebody took away is not answered from, at any request, until there is one again', async () => {
  const [first] = await tinyReleases(await temporaryFolder());
  const { out } = first!;
  let now = 0;
  const releases = new Releases(out, () => {}, { keepMs: 100, now: () => now });
  const id = (await releases.current())!.id;
  await rename(join(out, 'current'), join(out, 'aside'));
  now += 100;
  const found = [await releases.current(), await releases.current(), releases.served];
  expect(found).toEqual([null, null, null]);
  await rename(join(out, 'aside'), join(out, 'current'));
  expect((await releases.current())!.id).toBe(id);
});
