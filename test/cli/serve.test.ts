import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { COMMAND, RunningCli, runCli } from './run-cli.ts';

async function served(env: Record<string, string> = {}) {
  const out = await temporaryFolder();
  await publishTiny(out, { events: 5 });
  const cli = new RunningCli(['serve', '--out', out], { PORT: '0', ...env });
  const [, url] = await cli.printed(/at (http:\/\/\S+)/);
  return { out, cli, url: url! };
}

describe('cathedral serve', () => {
  test('serves the release, then the next one, and stops in order', async () => {
    const { out, cli, url } = await served({ CATHEDRAL_DRAIN: '5', CATHEDRAL_CACHE_TAG_HEADER: 'Cache-Tag' });
    expect(await (await fetch(`${url}/economy/supply`)).json()).toMatchObject({ events: 5 });
    await publishTiny(out, { events: 9 });
    // The server looks for a new release from time to time, not at every request.
    await expect.poll(async () => (await fetch(`${url}/economy/supply`)).json()).toMatchObject({ events: 9 });
    const answer = await fetch(`${url}/economy/supply`);
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(answer.headers.get('cache-tag')).toBe('cathedral-release');
    expect((await fetch(`${url}/latest.json?x=1`)).headers.has('cache-tag')).toBe(false);
    cli.child.kill('SIGTERM');
    // Load balancers notice that it is about to stop, and what they still send is answered.
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/economy/supply`)).status).toBe(200);
    expect(await cli.finished()).toMatchObject({ status: 0, signal: null });
  });

  test('answers 503 until there is a release, and is healthy meanwhile', async () => {
    const out = join(await temporaryFolder(), 'empty');
    await mkdir(out);
    const cli = new RunningCli(['serve', '--out', out, '--port', '0', '--host', '127.0.0.1']);
    const [, url] = await cli.printed(/at (http:\/\/127\.0\.0\.1:\d+)/);
    const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status;
    expect(await statusOf('/economy/supply')).toBe(503);
    expect(await statusOf('/status.json')).toBe(503);
    expect(await statusOf('/healthz')).toBe(200);
    // It stops in order, with the status of SIGHUP, because its terminal is gone.
    cli.child.kill('SIGHUP');
    expect(await cli.finished()).toMatchObject({ status: 129, signal: null });
    await cli.printed(/\/empty has no release yet/);
  });

  test.each([
    ['nohup', ['nohup'], 'SIGHUP'],
    ['a shell', ['sh', '-c', 'trap "" INT; exec "$@"', 'sh'], 'SIGINT'],
  ] as const)(
    'goes on after a signal that %s ignores, and stops at another one',
    async (_, launcher, signal) => {
      const out = await temporaryFolder();
      const args = ['serve', '--out', out, '--port', '0', '--host', '127.0.0.1'];
      const cli = new RunningCli(args, {}, [...launcher, ...COMMAND]);
      const [, url] = await cli.printed(/at (http:\/\/127\.0\.0\.1:\d+)/);
      cli.child.kill(signal);
      await sleep(300);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      cli.child.kill('SIGTERM');
      expect(await cli.finished()).toMatchObject({ status: 0, signal: null });
    },
  );

  test('refuses a folder that cannot contain a release, and says why', async () => {
    const out = await temporaryFolder();
    await writeFile(join(out, 'mirror.json'), '{}');
    const mirror = await runCli(['serve', '--out', out]);
    expect([mirror.status, mirror.stderr]).toEqual([
      2,
      expect.stringMatching(/found a mirror.*docs\/mirrors\.md/),
    ]);
    const none = await runCli(['serve', '--out', join(out, 'none')]);
    expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('found no such folder')]);
  });

  test('logs requests only at level info, without queries and keys', async () => {
    const { cli, url } = await served({ CATHEDRAL_LOG_LEVEL: 'info' });
    const headers = { authorization: 'Bearer a-secret' };
    await fetch(`${url}/government/ledger/export?token=a-secret`, { headers });
    cli.child.kill('SIGINT');
    const { stderr, status } = await cli.finished();
    expect(status).toBe(0);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ level, time, msg }) => [typeof level, typeof time, typeof msg])).toContainEqual([
      'number',
      'string',
      'string',
    ]);
    expect(lines.map(({ msg }) => msg)).toContain('Stopping: requests in progress are answered first.');
    expect(stderr).toContain('"path":"/government/ledger/export","status":401');
    expect(stderr).not.toContain('a-secret');
  });

  test('is ready while it can serve, and reports faults, also those that occur or end later', async () => {
    const stores = await temporaryFolder();
    const [keys, limits, log] = ['keys.sqlite', 'limits.sqlite', 'log/access'].map((name) =>
      join(stores, name),
    ) as [string, string, string];
    await writeFile(join(stores, 'log'), '');
    const { out, url } = await served({
      CATHEDRAL_KEYS: keys,
      CATHEDRAL_LIMITS: limits,
      CATHEDRAL_ACCESS_LOG: log,
    });
    const readiness = async () => {
      const answer = await fetch(`${url}/readyz`);
      const { checks, degraded } = (await answer.json()) as Record<string, Record<string, string>>;
      const faults = Object.entries(checks!).filter(([, fault]) => fault !== 'ok');
      return [answer.status, faults.map(([part]) => part), Object.keys(degraded!)];
    };
    // A part that takes more than half a second counts as a fault, too.
    const isNow = expect.poll(readiness);
    await isNow.toEqual([200, ['access_log'], ['access_log']]);
    await rm(join(stores, 'log'));
    await isNow.toEqual([200, [], []]);
    await rename(log, `${log}.aside`);
    await isNow.toEqual([200, ['access_log'], ['access_log']]);
    await rename(`${log}.aside`, log);
    await rename(keys, `${keys}.aside`);
    await isNow.toEqual([200, ['keys'], ['keys']]);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('\ncathedral_ready 1\n');
    expect(metrics).toContain('\ncathedral_fault{part="keys"} 1\n');
    expect(metrics).toContain('\ncathedral_fault{part="limits"} 0\n');
    await rename(`${keys}.aside`, keys);
    await rm(limits);
    await isNow.toEqual([200, [], ['counts']]);
    expect(existsSync(limits)).toBe(true);
    await writeFile(join(out, 'status.json'), 'not a status');
    await isNow.toEqual([200, [], ['last_run', 'counts']]);
    await rm(join(out, 'current'));
    await rm(join(out, 'releases'), { recursive: true });
    await isNow.toEqual([503, ['release'], ['last_run', 'counts']]);
  });

  test('refuses a port that is taken', async () => {
    const other = createServer().listen(0, 'localhost');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = await runCli(['serve', '--out', await temporaryFolder(), '--port', `${port}`]);
    expect(status).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      level: 50,
      code: 'config_invalid',
      msg: expect.stringContaining(
        `localhost:${port}: expected a free port that this user may use (choose another: --port or PORT), found a port that is in use`,
      ),
    });
    // Before anything is opened or written.
    const [out, log] = [await temporaryFolder(), join(await temporaryFolder(), 'file')];
    await writeFile(log, '');
    const args = ['start', '--ledger', join(out, 'none'), '--out', join(out, 'out'), '--port', `${port}`];
    const started = await runCli(args, { CATHEDRAL_ACCESS_LOG: log });
    expect([started.status, JSON.parse(started.stderr).msg]).toEqual([
      2,
      expect.stringContaining('a port that is in use'),
    ]);
    expect(existsSync(join(out, 'out'))).toBe(false);
    const elsewhere = await runCli(['serve', '--out', await temporaryFolder(), '--host', '192.0.2.1']);
    expect([elsewhere.status, elsewhere.stderr]).toEqual([
      2,
      expect.stringContaining('(choose another: --host or CATHEDRAL_HOST)'),
    ]);
  });
});
