import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withLock } from '../../pipeline/disk/lock.ts';
import type { Status } from '../../pipeline/release/format/status.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { sweep } from '../setups/sweep.ts';
import { NPM_START, RunningCli, runCli, runHere } from './run-cli.ts';

interface Folders {
  ledger: string;
  out: string;
  args: string[];
}

async function folders(to: string): Promise<Folders> {
  const folder = await temporaryFolder();
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
  await writeSample({ out: ledger, to });
  return { ledger, out, args: ['--ledger', ledger, '--out', out, '--without-site', '--port', '0'] };
}

/** With the key that a process has for the same folder. */
function build(ledger: string, out: string) {
  const args = ['--ledger', ledger, '--out', out, '--publisher-key', `${out}.publisher-key`];
  return runHere('build', [...args, '--without-site']);
}

async function statusOf(url: string): Promise<Status> {
  return (await fetch(`${url}/status.json`)).json() as Promise<Status>;
}

describe('cathedral start', () => {
  test('publishes, serves, announces the next run, and stops in order', async () => {
    const { args } = await folders('2025-07-05');
    const cli = new RunningCli(['start', ...args]);
    const [, url] = await cli.printed(/^Ready: (http:\S+)$/m);
    const supply = await (await fetch(`${url}/economy/supply`)).json();
    expect(supply).toHaveProperty('total_supply');
    // The ledger snapshot that is due is missing, so it retries soon.
    await cli.printed(/has not sealed the snapshot that is due/);
    const status = await statusOf(url!);
    expect(status.last_run.outcome).toBe('published');
    expect(Date.parse(status.next_run_at!)).toBeGreaterThan(Date.parse(status.last_run.finished_at));
    cli.child.kill('SIGTERM');
    const { status: exit, stdout, stderr } = await cli.finished();
    expect([exit, stdout]).toEqual([0, `Ready: ${url}\n`]);
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(lines).toContainEqual(expect.stringMatching(/^published .+ new events/));
  });

  test('keeps serving if a run fails, and reports it in its status', async () => {
    const { ledger, out, args } = await folders('2025-07-05');
    await build(ledger, out);
    const [newest = ''] = (await readdir(join(ledger, 'snapshots')))
      .filter((name) => name.endsWith('.zst'))
      .slice(-1);
    await writeFile(
      join(ledger, 'snapshots/2025-07-06T00Z.ndjson.zst'),
      await readFile(join(ledger, 'snapshots', newest)),
    );
    const checkpoint = newest.replace('.ndjson.zst', '.checkpoint');
    await writeFile(
      join(ledger, 'snapshots/2025-07-06T00Z.checkpoint'),
      await readFile(join(ledger, 'snapshots', checkpoint)),
    );
    const cli = new RunningCli(['start', ...args]);
    const [, url] = await cli.printed(/^Ready: (http:\S+)$/m);
    await cli.printed(/The run failed; the published release is unchanged. The next attempt is at/);
    expect((await statusOf(url!)).last_run).toMatchObject({
      outcome: 'failed',
      error: { code: expect.any(String) },
    });
    expect((await fetch(`${url}/economy/supply`)).status).toBe(200);
    expect((await runHere('check', ['--out', out])).status).toBe(0);
  });

  test('stops a run in progress with it, and leaves nothing half published', async () => {
    const { out, args } = await folders('2025-10-01');
    const cli = new RunningCli(['start', ...args]);
    while (!(await readdir(out).catch(() => [])).some((name) => name.startsWith('staging-'))) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    cli.child.kill('SIGTERM');
    expect(await cli.finished()).toMatchObject({ status: 0, signal: null });
    await withLock(out, { waitMs: 60_000, holder: 'a test' }, async () => {
      expect(await readdir(out)).not.toContain('current');
    });
  });
});

describe('cathedral start --demo', () => {
  /** A demo ledger of the last two days, and the flags to start on it. */
  async function demo(): Promise<Folders> {
    const folder = await temporaryFolder();
    const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
    const from = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
    await writeSample({ out: ledger, from, to: Date.now() });
    const flags = ['--ledger', ledger, '--out', out, '--without-site', '--port', '0'];
    return { ledger, out, args: ['start', '--demo', ...flags] };
  }

  sweep('appends to the ledger, and leaves no process behind when it is killed', async () => {
    const { ledger, args } = await demo();
    const head = join(ledger, 'head.ndjson');
    const before = (await readFile(head)).length;
    const cli = new RunningCli(args);
    await cli.printed(/^Ready: http:\S+$/m);
    await expect.poll(async () => (await readFile(head)).length).toBeGreaterThan(before);
    cli.child.kill('SIGKILL');
    await withLock(`${ledger}.lock`, { waitMs: 60_000, holder: 'a test' }, async () => {
      expect((await readFile(head)).at(-1)).toBe(0x0a);
    });
  });

  test('prints a government key that opens restricted files, and keeps it for the next start', async () => {
    const { args } = await demo();
    const stores = await temporaryFolder();
    const env = {
      CATHEDRAL_KEYS: join(stores, 'keys.sqlite'),
      CATHEDRAL_ACCESS_LOG: join(stores, 'access-log'),
    };
    const printed: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const cli = new RunningCli(args, env);
      const [, url] = await cli.printed(/^Ready: (http:\S+)$/m);
      const [, key = ''] = await cli.printed(/^A government key for this demo: (\S+)$/m);
      printed.push(key);
      const headers = { authorization: `Bearer ${key}` };
      const report = await fetch(`${url}/government/compliance-report.json`, { headers });
      expect([report.status, report.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
      const mints = await fetch(`${url}/export?format=ndjson&filter=event_type%3D%3Dmic_mint`, { headers });
      const rows = (await mints.text()).trimEnd().split('\n');
      expect(rows.every((row) => JSON.parse(row).event_type === 'mic_mint')).toBe(true);
      await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
      cli.child.kill('SIGINT');
      expect(await cli.finished()).toMatchObject({ status: 0, signal: null });
    }
    expect(printed[1]).toBe(printed[0]);
    const { status, stdout } = await runHere('access-log verify', [], { env });
    expect([status, stdout]).toEqual([0, expect.stringContaining('The log is complete: 4 entries.')]);
    const exported = await runHere('access-log export', ['--format', 'csv'], { env });
    expect(exported.stdout).toContain('/government/compliance-report.json');
    expect(exported.stdout + stdout).not.toContain(printed[0]);
    const listed = await runHere('keys list', ['--json'], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ tier: 'government', status: 'active' }]);
  });

  sweep('shows new events at the real-time paths before they are published', async () => {
    const { args } = await demo();
    const cli = new RunningCli(args);
    const [, url] = await cli.printed(/^Ready: (http:\S+)$/m);
    const newest = async () =>
      ((await (await fetch(`${url}/government/sentinel-status.json`)).json()) as { timestamp: string })
        .timestamp;
    // The release is asked for last: at the end of a slot, it becomes newer.
    const isAhead = async () => (await newest()) > (await statusOf(url!)).release!.timestamp;
    await expect.poll(isAhead).toBe(true);
  });

  sweep('refuses to start if another one appends to the same ledger', async () => {
    const { ledger, args } = await demo();
    await withLock(`${ledger}.lock`, { waitMs: 0, holder: 'the first one' }, async () => {
      const { status, stderr } = await runCli(args);
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/no other start .*, found the first one \(locked\)/),
      ]);
    });
  });

  sweep('stops in order, with the process that writes the ledger, if only npm gets the signal', async () => {
    const { ledger, args } = await demo();
    const [, , ...flags] = args;
    const npm = new RunningCli(flags, {}, NPM_START);
    const [, url] = await npm.printed(/^Ready: (http:\S+)$/m);
    await npm.printed(/The next release is due at|next look is at/);
    npm.child.kill('SIGTERM');
    // npm forwards signals only to the process that it started, so a shell in between would stop instead of the service.
    if (npm.child.exitCode === null && npm.child.signalCode === null) await once(npm.child, 'exit');
    expect([npm.child.exitCode, npm.child.signalCode]).toEqual([0, null]);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect((await npm.finished()).stderr).toContain('Stopping: requests in progress');
    await withLock(`${ledger}.lock`, { waitMs: 0, holder: 'a test' }, async () => {});
  });

  sweep(
    'stops immediately while the first demo ledger is written, and starts over the next time',
    async () => {
      const folder = await temporaryFolder();
      const ledger = join(folder, 'ledger');
      const cli = new RunningCli([
        'start',
        '--demo',
        '--ledger',
        ledger,
        '--out',
        join(folder, 'out'),
        '--port=0',
      ]);
      const written = () => readdir(join(`${ledger}.new`, 'snapshots')).catch(() => []);
      await expect.poll(async () => (await written()).length).toBeGreaterThan(10);
      cli.child.kill('SIGINT');
      expect(await cli.finished()).toMatchObject({ status: 0, signal: null });
      // It is renamed into place when it is complete.
      await expect(readdir(ledger)).rejects.toThrow('ENOENT');
    },
  );

  test.each(['cathedral', 'start', 'test', 'bench', 'faults'])(
    'no shell is left between npm and npm run %s',
    async (name) => {
      const { scripts } = JSON.parse(await readFile('package.json', 'utf8'));
      expect(scripts[name]).toMatch(/(^|&& )exec [^;&|]+$/);
      const [, file] = /exec sh (scripts\/\S+)$/.exec(scripts[name]) ?? [];
      if (file) expect((await readFile(file, 'utf8')).trimEnd().split('\n').at(-1)).toMatch(/^exec /);
    },
  );

  sweep(
    'says what to do if the ledger was written again and the first one is published, and does not try to publish',
    async () => {
      const { ledger, out, args } = await demo();
      expect((await build(ledger, out)).status).toBe(0);
      await rm(ledger, { recursive: true });
      const from = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
      await writeSample({ out: ledger, from, to: Date.now(), seed: 2 });
      const { status, stderr } = await runCli(args);
      expect([status, stderr]).toEqual([2, expect.stringContaining('found releases of a different ledger')]);
      const [, command = ''] = /\(to start over: rm -r ([^)]+)\)/.exec(stderr) ?? [];
      for (const folder of command.split(' ')) await rm(folder, { recursive: true });
      expect((await build(ledger, out)).status).toBe(0);
    },
  );

  sweep('refuses a ledger that is not a demo ledger, because it would append to it', async () => {
    const remote = await runCli(['start', '--demo', '--port=0', '--ledger=civic+http://localhost:1']);
    expect([remote.status, remote.stderr]).toEqual([
      2,
      expect.stringContaining('--demo: expected a ledger in a folder'),
    ]);
    const { ledger, args } = await demo();
    for (const name of await readdir(join(ledger, 'snapshots'))) {
      if (name.endsWith('.checkpoint')) await writeFile(join(ledger, 'snapshots', name), SOMEBODY_ELSES);
    }
    const other = await runCli(args);
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringContaining('found a ledger signed by another key'),
    ]);
  });
});

const SOMEBODY_ELSES = `ledger.example.org
1
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=

— ledger.example.org ${Buffer.alloc(68, 7).toString('base64')}
`;
