import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { withLock } from '../../pipeline/disk/lock.ts';
import { readVerifiers } from '../../pipeline/ledger/reading/ledger-verifiers.ts';
import { LedgerWriter } from '../../pipeline/ledger/writing/ledger-writer.ts';
import type { Status } from '../../pipeline/release/format/status.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { NPM_START, RunningCli, runCli, runHere } from '../contract/commands/seam.ts';
import { writeOrganisation } from '../organisation.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { sweep } from '../setups/sweep.ts';

const QUICK = ['--without-site', '--without-pdf', '--port', '0'];
const statusOf = async (url: string) => (await fetch(`${url}/status.json`)).json() as Promise<Status>;

describe('cathedral start', () => {
  test('keeps serving when a run cannot seal, says so in its status, and stops in order', async () => {
    const folder = await temporaryFolder();
    const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
    await runHere('ledger init', [ledger, '--origin', 'ledger.example.org']);
    writeOrganisation(ledger);
    const keys = ['--ledger-key', `${ledger}.vkey`, '--ledger-signing-key', `${ledger}.key`];
    const own = ['--publisher-key', `${out}.publisher-key`];
    const args = ['--ledger', ledger, ...keys, '--out', out, ...own, '--without-site', '--without-pdf'];
    expect(await runHere('build', args)).toMatchObject({ status: 0 });
    const verifiers = await readVerifiers(`${ledger}.vkey`);
    const holder = { now: Date.now, waitMs: 0, holder: 'a long append' };
    const writer = await LedgerWriter.open(ledger, { verifiers, ...holder });
    onTestFinished(() => writer.close());
    const cli = new RunningCli(['start', ...args, '--port', '0'], { CATHEDRAL_WAIT: '0' });
    const [, url = ''] = await cli.printed(/^Ready: (http:\S+)$/m);
    await cli.printed(/The run failed; the published release is unchanged\. The next attempt is at/);
    const { last_run, next_run_at } = await statusOf(url);
    expect(last_run).toMatchObject({ outcome: 'failed', error: { code: 'locked' } });
    expect(Date.parse(next_run_at!)).toBeGreaterThan(Date.parse(last_run.finished_at));
    expect((await fetch(`${url}/economy/supply`)).status).toBe(200);
    cli.child.kill('SIGTERM');
    const { status, stdout, stderr } = await cli.finished();
    expect([status, stdout]).toEqual([0, `Ready: ${url}\n`]);
    // The log of a service is JSON, also what its runs say.
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
  });
});

describe('cathedral start --demo', () => {
  /** A demo ledger of the last hours, and the flags to start on it. */
  async function demo() {
    const folder = await temporaryFolder();
    const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
    const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await writeSample({ out: ledger, from, to: Date.now() });
    return { ledger, out, args: ['--ledger', ledger, '--out', out, ...QUICK] };
  }

  test('by npm start prints a government key that opens restricted files, and stops with its writer in order', async () => {
    const { ledger, args } = await demo();
    const stores = await temporaryFolder();
    const env = {
      CATHEDRAL_STORE: stores,
      CATHEDRAL_PUBLISHER_KEY: join(stores, 'publisher.key'),
      // npm leaves compiled code there.
      TMPDIR: stores,
    };
    const npm = new RunningCli(args, env, NPM_START);
    const [, url] = await npm.printed(/^Ready: (http:\S+)$/m);
    const [, key = ''] = await npm.printed(/^A government key for this demo: (\S+)$/m);
    const headers = { authorization: `Bearer ${key}` };
    const report = await fetch(`${url}/government/compliance-report.json`, { headers });
    await report.arrayBuffer();
    expect([report.status, report.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    await npm.printed(/The next release is due at|next look is at/);
    expect((await statusOf(url!)).last_run.outcome).toBe('published');
    npm.child.kill('SIGTERM');
    // npm forwards signals only to the process that it started, so a shell in between would stop instead of the service.
    if (npm.child.exitCode === null && npm.child.signalCode === null) await once(npm.child, 'exit');
    expect([npm.child.exitCode, npm.child.signalCode]).toEqual([0, null]);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect((await npm.finished()).stderr).toContain('Stopping: requests in progress');
    await withLock(`${ledger}.lock`, { waitMs: 0, holder: 'a test' }, async () => {});
    // The next start prints the same key, which the file beside the publisher's key has.
    expect(await readFile(join(stores, 'demo.key'), 'utf8')).toBe(`${key}\n`);
    const { status, stdout } = await runHere('access-log export', ['--format', 'csv'], { env });
    expect([status, stdout]).toEqual([0, expect.stringContaining('/government/compliance-report.json')]);
    expect(stdout).not.toContain(key);
  });

  sweep('appends to the ledger, and leaves no process behind when it is killed', async () => {
    const { ledger, args } = await demo();
    const head = join(ledger, 'head.ndjson');
    const before = (await readFile(head)).length;
    const cli = new RunningCli(['start', '--demo', ...args]);
    await cli.printed(/^Ready: http:\S+$/m);
    await expect.poll(async () => (await readFile(head)).length).toBeGreaterThan(before);
    cli.child.kill('SIGKILL');
    await withLock(`${ledger}.lock`, { waitMs: 60_000, holder: 'a test' }, async () => {
      expect((await readFile(head)).at(-1)).toBe(0x0a);
    });
  });

  sweep('refuses to start if another one appends to the same ledger', async () => {
    const { ledger, args } = await demo();
    await withLock(`${ledger}.lock`, { waitMs: 0, holder: 'the first one' }, async () => {
      const { status, stderr } = await runCli(['start', '--demo', ...args]);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/no other start .*, found the first one \(locked\)/),
      ]);
    });
  });

  sweep(
    'from nothing shows the data first, then pages on request, and then the complete release',
    async () => {
      const folder = await temporaryFolder();
      const own = ['--ledger', join(folder, 'ledger'), '--out', join(folder, 'out'), '--port=0'];
      const cli = new RunningCli(['start', '--demo', ...own]);
      const [, url = ''] = await cli.printed(/The data files are at (http:\/\/[\w:.]+)/);
      const first = await statusOf(url);
      expect(first.release!.ledger.snapshot).toBe('2026-06-10T00Z');
      expect(first).toMatchObject({ last_run: { outcome: 'incomplete', error: null } });
      expect(first.release!.lacks).toEqual(['formats', 'charts', 'pages', 'pdfs']);
      const browser = { headers: { accept: 'text/html' } };
      const start = await fetch(url, browser);
      // The plain page, or the home page where the site was compiled before.
      const home = expect.stringMatching(/mic-history|class="first-chart"/);
      expect([start.status, await start.text()]).toEqual([200, home]);
      const portal = async () => (await fetch(`${url}/economy/`, browser)).status;
      await expect.poll(portal, { timeout: 240_000, interval: 500 }).toBe(200);
      expect((await statusOf(url)).release!.lacks).toContain('pages');
      const outcome = async () => (await statusOf(url)).last_run.outcome;
      await cli.printed(/^Ready: http:\S+$/m);
      await expect.poll(outcome, { timeout: 240_000, interval: 500 }).toBe('published');
      const complete = await statusOf(url);
      expect([complete.release!.lacks, complete.running]).toEqual([[], null]);
      expect(complete.release!.ledger.snapshot > '2026-06-10T00Z').toBe(true);
      cli.child.kill('SIGINT');
      expect(await cli.finished()).toMatchObject({ status: 0, signal: null });
    },
    600_000,
  );

  sweep('says what to do if the ledger was written again and the first one is published', async () => {
    const { ledger, out, args } = await demo();
    const key = `${out}.publisher-key`;
    const build = () =>
      runHere('build', ['--ledger', ledger, '--out', out, '--publisher-key', key, '--without-site']);
    expect((await build()).status).toBe(0);
    await rm(ledger, { recursive: true });
    const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    await writeSample({ out: ledger, from, to: Date.now(), seed: 2 });
    const { status, stderr } = await runCli(['start', '--demo', ...args]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('found releases of a different ledger')]);
    const [, command = ''] = /\(to start over: rm -r ([^)]+)\)/.exec(stderr) ?? [];
    for (const folder of command.split(' ')) await rm(folder, { recursive: true });
    expect((await build()).status).toBe(0);
  });
});

test.each(['cathedral', 'test'])('no shell is left between npm and npm run %s', async (name) => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(scripts[name]).toMatch(/(^|&& )exec [^;&|]+$/);
});
