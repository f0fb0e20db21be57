import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { runHere } from '../contract/commands/seam.ts';
import { buildSmall, writeSmallLedger } from '../formats/small-release.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const hasRclone = spawnSync('rclone', ['version']).status === 0;

/** The commands of docs/operations.md, from `out` to a folder that stands for the host. */
async function upload(out: string): Promise<string> {
  const text = await readFile('docs/operations.md', 'utf8');
  const [, commands = ''] = /```sh\n(rclone copy [^`]+)```/.exec(text) ?? [];
  const site = join(await temporaryFolder(), 'site');
  execFileSync('sh', ['-euc', commands.replaceAll('/srv/cathedral', out).replaceAll('host:site', site)]);
  return site;
}

describe.runIf(hasRclone)('the documented upload to a static host', () => {
  test('makes a copy that verifies, and in which nothing is missing', async () => {
    const folder = await temporaryFolder();
    await writeSmallLedger(folder);
    const keyFile = join(folder, 'publisher.key');
    const publisher = { kind: 'signs', keyFile, name: 'test.example', now: Date.now } as const;
    await buildSmall(folder, 'out', { extras: false, snapshots: { days: 1 }, publisher });
    const out = join(folder, 'out');
    const key = (await readFile(join(out, 'current/public/publisher.vkey'), 'utf8')).trim();
    const ledgerKey = join(folder, 'ledger.vkey');
    await writeFile(ledgerKey, formatVerifierKey(demoSigner().verifier));
    const site = await upload(out);
    const keys = ['--verifier-key', key, '--ledger-key', ledgerKey, '--accept-expired'];
    const verify = () => runHere('verify', [site, '--static', ...keys]);
    const { status, stdout, stderr } = await verify();
    expect([status, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(/^snapshots +verified/m),
      expect.anything(),
    ]);
    for (const name of ['_headers', '.nojekyll', 'log/checkpoint', 'snapshots/index.json.sig'])
      expect([name, existsSync(join(site, name))]).toEqual([name, true]);
    // The check finds what a tool leaves out.
    await rm(join(site, 'schemas'), { recursive: true });
    expect((await verify()).status).toBe(1);
  });
});
