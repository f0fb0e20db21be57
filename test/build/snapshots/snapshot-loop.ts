/**
 * `node snapshot-loop.ts OUT BASE_URL KEY_FILE`: removes the snapshots of the served release and publishes them again, without
 * end. Run by a test that kills it.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { publishSnapshots } from '../../../pipeline/build/snapshots/publish-snapshots.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { signerOfKeys } from '../../release/signer-of-keys.ts';

const [out, , keyFile] = process.argv.slice(2) as [string, string, string];
const release = (await readCurrent(out))!;
const sign = await signerOfKeys(keyFile);
for (let round = 0; ; round += 1) {
  const aside = join(out, 'staging-snapshots-before');
  await rm(aside, { recursive: true, force: true });
  await rename(join(out, 'snapshots'), aside).catch(() => {});
  await publishSnapshots(out, release, { days: 366, sign });
  console.log(`made ${round}`);
}
