import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from '../../pipeline/disk/lock.ts';
import { readStatus } from '../../pipeline/release/format/status.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { publisherKey, RunningCli, runHere } from '../contract/commands/seam.ts';
import { listenInTest } from '../listen.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

async function sampleLedger(): Promise<{ ledger: string; out: string; args: string[] }> {
  const folder = await temporaryFolder();
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
  await writeSample({ out: ledger, to: '2025-07-04' });
  return { ledger, out, args: ['--ledger', ledger, '--out', out, '--without-site', '--without-pdf'] };
}

test('publishes what was repaired or comes free, says so in its status, and keeps caches that did not change', async () => {
  const { ledger, out, args } = await sampleLedger();
  let purges = 0;
  const cdn = createServer((_, response) => {
    purges += 1;
    response.end();
  });
  const purge = `${(await listenInTest(cdn)).origin}/`;
  const build = (...more: string[]) =>
    runHere('build', [...args, '--purge-url', purge, ...more], {
      env: { CATHEDRAL_PUBLISHER_KEY: publisherKey(out) },
    });

  const snapshot = join(ledger, 'snapshots/2025-07-03T12Z.ndjson.zst');
  const bytes = await readFile(snapshot);
  await writeFile(snapshot, bytes.subarray(0, bytes.length - 9));
  const damaged = await build();
  expect([damaged.status, damaged.stdout]).toEqual([1, '']);
  expect(damaged.stderr).toMatch(
    /^cathedral: \S*2025-07-03T12Z\S*: expected .+, found .+ \(ledger_corrupt\)$/m,
  );
  expect((await readStatus(out))!.last_run).toMatchObject({
    outcome: 'failed',
    error: { code: 'ledger_corrupt' },
  });
  await writeFile(snapshot, bytes);

  await withLock(out, { waitMs: 0, holder: 'a test' }, async () => {
    const { status, stderr } = await build('--wait=0');
    expect([status, stderr]).toEqual([1, expect.stringContaining('found a test (locked)')]);
  });

  expect((await build()).stdout).toMatch(/^published 2025-07-04T00Z-[0-9a-f]{8}: \d+ files; /);
  expect((await build()).stdout).toMatch(/^unchanged 2025-07-04T00Z-/);
  expect([purges, (await readStatus(out))!.last_run.outcome]).toEqual([1, 'unchanged']);
});

test('stopped by SIGTERM exits 143, leaves nothing of its release, and the next run goes on', async () => {
  const { out, args } = await sampleLedger();
  const cli = new RunningCli(['build', ...args]);
  while (!(await readdir(out).catch(() => [])).some((name) => name.startsWith('staging-')))
    await new Promise((resolve) => setTimeout(resolve, 5));
  cli.child.kill('SIGTERM');
  const { status, stderr } = await cli.finished();
  expect([status, stderr]).toEqual([143, expect.stringContaining('Stopped by SIGTERM')]);
  expect((await readdir(out)).filter((name) => /^(staging-|current)/.test(name))).toEqual([]);
  const again = await runHere('build', args, { env: { CATHEDRAL_PUBLISHER_KEY: publisherKey(out) } });
  expect(again.status).toBe(0);
});
