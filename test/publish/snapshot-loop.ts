/**
 * `node snapshot-loop.ts OUT BASE_URL`: takes the snapshots of the release that OUT serves away and makes them again, without
 * end. Run by a test that kills it.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readCurrent } from '../../pipeline/publish/release.ts';
import { publishSnapshots } from '../../pipeline/snapshots/publish-snapshots.ts';

const [out, baseUrl] = process.argv.slice(2) as [string, string];
const { manifest } = (await readCurrent(out))!;
for (let round = 0; ; round += 1) {
  const aside = join(out, 'staging-snapshots-before');
  await rm(aside, { recursive: true, force: true });
  await rename(join(out, 'snapshots'), aside).catch(() => {});
  await publishSnapshots(out, manifest, { days: 366, baseUrl });
  console.log(`made ${round}`);
}
