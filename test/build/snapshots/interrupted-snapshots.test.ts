import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { publishSnapshots } from '../../../pipeline/build/snapshots/publish-snapshots.ts';
import { publishedIds, readIndex } from '../../../pipeline/build/snapshots/read-published.ts';
import { verifySnapshot } from '../../../pipeline/build/snapshots/verify-published-snapshots.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { FolderOrigin } from '../../../pipeline/verify/folder-origin.ts';
import { verify } from '../../../pipeline/verify/verify.ts';
import { signerOfKeys } from '../../release/signer-of-keys.ts';
import { BASE_URL, smallService } from '../../release/small-service.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { isSweep } from '../../setups/sweep.ts';

const LOOP = join(import.meta.dirname, 'snapshot-loop.ts');
/** How long each run may live after it has published for the first time, ms. `npm run faults`: more of them. */
const LIVES = Array.from({ length: 20 }, (_, at) => at * 7).filter((_, at) => isSweep || at % 8 === 0);

/** The findings of `cathedral verify` in the folder. */
async function findingsOf(out: string) {
  const trust = { keys: null, ledgerKeys: null };
  const options = { parallel: 2, acceptExpired: true, now: () => 0, wait: async () => {}, log: () => {} };
  return (await verify(await FolderOrigin.at(out), trust, options)).findings;
}

test('a run killed at any moment leaves complete snapshots or none, and the next run publishes the rest', async () => {
  const of = smallService(await temporaryFolder());
  await of.seal(400);
  await of.publish();
  const release = (await readCurrent(of.out))!;
  const sign = await signerOfKeys(of.keyFile);
  for (const life of LIVES) {
    const child = spawn(process.execPath, [LOOP, of.out, BASE_URL, of.keyFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await sleep(life);
    child.kill('SIGKILL');
    await once(child, 'close');
    const ids = await publishedIds(of.out);
    for (const id of ids) expect(await verifySnapshot(of.out, id)).toEqual([]);
    for (const { id } of (await readIndex(of.out)) ?? []) expect(ids).toContain(id);
    await publishSnapshots(of.out, release, { days: 366, sign });
    expect(await findingsOf(of.out)).toEqual([]);
    expect((await readdir(of.out)).filter((name) => name.startsWith('staging-snapshot-'))).toEqual([]);
  }
});
