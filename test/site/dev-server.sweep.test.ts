import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { buildFixture } from './build-fixture.ts';

test('npm run dev shows pages of the newest release and the files of it that they load, and says of others that they are not there', async () => {
  const { release } = await buildFixture();
  const out = await temporaryFolder();
  const current = join(out, 'current');
  await mkdir(current);
  for (const name of ['manifest.json', 'public']) await symlink(join(release, name), join(current, name));
  await copyFile('data/documents/organisation.json', join(current, 'organisation.json'));
  // Astro does not serve where it believes to be in a test.
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = spawn('sh', ['scripts/dev.sh', '--port', '0'], {
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, CATHEDRAL_OUT: out },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  });
  child.stdout.setEncoding('utf8');
  let said = '';
  while (!/http:\/\/localhost:\d+/.test(said)) said += (await once(child.stdout, 'data'))[0];
  child.stdout.resume();
  const [address] = /http:\/\/localhost:\d+/.exec(said)!;
  const page = await fetch(`${address}/charts/supply/`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('MIC supply over time')]);
  const file = await fetch(`${address}/economy/supply`);
  expect(await file.text()).toBe(await readFile(join(release, 'public/economy/supply'), 'utf8'));
  const guide = await fetch(`${address}/styleguide/`);
  expect([guide.status, await guide.text()]).toEqual([
    200,
    expect.stringContaining('Code, citation, how to load a file'),
  ]);
  const list = await fetch(`${address}/snapshots/`);
  expect([list.status, await list.text()]).toEqual([200, expect.stringContaining('lists all snapshots')]);
  for (const path of ['/suply/', '/charts/suply/', '/oembed/suply.json']) {
    const nowhere = await fetch(address + path);
    expect([nowhere.status, await nowhere.text()]).toEqual([404, expect.stringContaining('Not found')]);
  }
  const beside = await fetch(`${address}/..%2forganisation.json`);
  expect(await beside.text()).not.toContain('"contact"');
});
