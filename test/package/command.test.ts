import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';

const COMMAND = resolve('bin/cathedral');
/** A Node that only says what it is to run. */
const node = (version: string) => `#!/bin/sh
case "$1" in --version) echo ${version} ;; *) echo "${version} $*" ;; esac
`;

/** Runs the command from a package in `place`, by a link to it; `programs` are path and version of each Node. */
async function run(place: string, programs: Record<string, string>) {
  const folder = await temporaryFolder();
  const at = (path: string) => join(folder, path);
  for (const [path, version] of Object.entries(programs)) {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), node(version));
    await chmod(at(path), 0o755);
  }
  await mkdir(at(`${place}/bin`), { recursive: true });
  await copyFile(COMMAND, at(`${place}/bin/cathedral`));
  await symlink(at(`${place}/bin/cathedral`), at('cathedral'));
  const PATH = `${at('path')}:/usr/bin:/bin`;
  const { status, stdout, stderr } = spawnSync(at('cathedral'), ['build', 'a b'], {
    encoding: 'utf8',
    env: { PATH },
  });
  return { status, stdout: stdout.replaceAll(folder, ''), stderr };
}

describe('the command', () => {
  test('runs the sources with the Node of the set-up', async () => {
    const programs = { 'opt/node_modules/.bin/node': 'v26.1.0', 'path/node': 'v20.1.0' };
    expect(await run('opt', programs)).toEqual({
      status: 0,
      stdout: 'v26.1.0 --no-memory-pool-share-memory-on-teardown /opt/src/cli.ts build a b\n',
      stderr: '',
    });
  });

  test('gives Node a small young generation, and what the operator sets for Node comes later, so it counts', async () => {
    const place = join(await temporaryFolder(), 'options.mjs');
    await writeFile(place, 'process.stderr.write(process.env.NODE_OPTIONS); process.exit();');
    const env = { PATH: process.env.PATH, NODE_OPTIONS: `--import=${place}` };
    const { stderr } = spawnSync(COMMAND, [], { encoding: 'utf8', env });
    expect(stderr).toBe(`--max-semi-space-size=8 --import=${place}`);
  });

  test('uses the machine’s own Node if that is new enough', async () => {
    const end = '/opt/src/cli.ts build a b\n';
    const option = '--no-memory-pool-share-memory-on-teardown';
    expect((await run('opt', { 'path/node': 'v26.3.0' })).stdout).toBe(`v26.3.0 ${option} ${end}`);
    // Which may not know that option.
    expect((await run('opt', { 'path/node': 'v27.0.0' })).stdout).toBe(`v27.0.0 ${end}`);
  });

  test('says what is missing if it is not', async () => {
    expect(await run('opt', { 'path/node': 'v20.1.0' })).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('Node 26 is missing'),
    });
  });

  test('says how to install it where npm put it among other packages', async () => {
    expect(await run('lib/node_modules/cathedral-data-service', { 'path/node': 'v27.0.0' })).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('Unpack it instead'),
    });
  });
});
