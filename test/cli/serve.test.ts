import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { storeFiles } from '../../pipeline/config/store-place.ts';
import { COMMAND, RunningCli, runHere } from '../contract/commands/seam.ts';
import { openServer } from '../contract/http/seam.ts';
import { publishTiny } from '../release/publish-tiny.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

test('serves the release, then the next one, goes on after a signal that nohup ignores, and stops in order', async () => {
  const out = await temporaryFolder();
  await publishTiny(out, { events: 5 });
  const env = { PORT: '0', CATHEDRAL_DRAIN: '5', CATHEDRAL_LOG_LEVEL: 'info' };
  const cli = new RunningCli(['serve', '--out', out], env, ['nohup', ...COMMAND]);
  const [, url] = await cli.printed(/at (http:\/\/\S+)/);
  const events = async () => (await fetch(`${url}/economy/supply`)).json();
  expect(await events()).toMatchObject({ events: 5 });
  await publishTiny(out, { events: 9 });
  // The server looks for a new release from time to time, not at every request.
  await expect.poll(events).toMatchObject({ events: 9 });
  const headers = { authorization: 'Bearer a-secret' };
  await fetch(`${url}/government/ledger/export?token=a-secret`, { headers });
  cli.child.kill('SIGHUP');
  cli.child.kill('SIGTERM');
  // Load balancers notice that it is about to stop, and what they still send is answered.
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
  expect(await events()).toMatchObject({ events: 9 });
  const { status, signal, stderr } = await cli.finished();
  expect([status, signal]).toEqual([0, null]);
  const lines = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('nohup:'))
    .map((line) => JSON.parse(line));
  expect(lines.map(({ msg }) => msg)).toContain('Stopping: requests in progress are answered first.');
  expect(stderr).toContain('"path":"/government/ledger/export","status":401');
  expect(stderr).not.toContain('a-secret');
});

test('is healthy without a release, and ends with the status of SIGHUP when its terminal is gone', async () => {
  const out = await temporaryFolder();
  const cli = new RunningCli(['serve', '--out', out, '--port', '0']);
  const [, url] = await cli.printed(/at (http:\/\/\S+)/);
  const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status;
  expect([await statusOf('/economy/supply'), await statusOf('/healthz')]).toEqual([503, 200]);
  cli.child.kill('SIGHUP');
  expect(await cli.finished()).toMatchObject({ status: 129, signal: null });
  await cli.printed(/has no release yet/);
});

test('refuses a folder that cannot contain a release, and says why', async () => {
  const out = await temporaryFolder();
  await writeFile(join(out, 'mirror.json'), '{}');
  const mirror = await runHere('serve', ['--out', out, '--port', '0']);
  expect([mirror.status, mirror.stderr]).toEqual([
    2,
    expect.stringMatching(/found a mirror.*docs\/mirrors\.md/),
  ]);
  const none = await runHere('serve', ['--out', join(out, 'none'), '--port', '0']);
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('found no such folder')]);
});

test('is ready while it can serve, and reports faults, also those that occur or end later', async () => {
  const [out, stores] = [await temporaryFolder(), await temporaryFolder()];
  await publishTiny(out, { events: 5 });
  const { keys, counts: limits } = storeFiles(stores);
  const log = join(stores, 'access-log');
  await writeFile(log, '');
  const files = ['--store', stores];
  const server = await openServer(['--out', out, ...files, '--log-level', 'error']);
  onTestFinished(() => server.close());
  const readiness = async () => {
    const answer = await fetch(`${server.url}/readyz`);
    const { checks, degraded } = (await answer.json()) as Record<string, Record<string, string>>;
    const faults = Object.entries(checks!).filter(([, fault]) => fault !== 'ok');
    return [answer.status, faults.map(([part]) => part), Object.keys(degraded!)];
  };
  // A part that takes more than half a second counts as a fault, too.
  const isNow = expect.poll(readiness);
  await isNow.toEqual([200, ['access_log'], ['access_log']]);
  await rm(log);
  await isNow.toEqual([200, [], []]);
  await rename(keys, `${keys}.aside`);
  await isNow.toEqual([200, ['keys'], ['keys']]);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const line of ['ready 1', 'fault{part="keys"} 1', 'fault{part="limits"} 0'])
    expect(metrics).toContain(`\ncathedral_${line}\n`);
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

test('refuses a port that is taken before anything is opened or written, and an address of another machine', async () => {
  const other = createServer().listen(0, 'localhost');
  onTestFinished(() => void other.close());
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  const [out, store] = [await temporaryFolder(), join(await temporaryFolder(), 'file')];
  await writeFile(store, '');
  const args = ['--ledger', join(out, 'none'), '--out', join(out, 'out'), '--store', store];
  const started = await runHere('start', [...args, '--port', `${port}`]);
  expect([started.status, started.stderr]).toEqual([
    2,
    expect.stringContaining(
      `localhost:${port}: expected a free port that this user may use (choose another: --port or PORT), found a port that is in use`,
    ),
  ]);
  expect(existsSync(join(out, 'out'))).toBe(false);
  const elsewhere = await runHere('serve', ['--out', out, '--host', '192.0.2.1', '--port', '0']);
  expect([elsewhere.status, elsewhere.stderr]).toEqual([
    2,
    expect.stringContaining('(choose another: --host or CATHEDRAL_HOST)'),
  ]);
});
