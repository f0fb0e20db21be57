import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTemporaryFolder } from '../../pipeline/disk/temporary-folder.ts';

const MODULE = new URL('../../pipeline/disk/temporary-folder.ts', import.meta.url).href;

/** A process that makes a folder with a file, says where, and ends in its way. Its own temporary folder is `below`. */
async function left(below: string, end: string, user: { uid?: number } = {}): Promise<string> {
  const work = `
    import { writeFileSync } from 'node:fs';
    const { makeTemporaryFolder } = await import(${JSON.stringify(MODULE)});
    const folder = makeTemporaryFolder();
    writeFileSync(folder.path + '/file', 'x');
    process.stdout.write(folder.path, () => { ${end} });
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', work], {
    env: { ...process.env, TMPDIR: below },
    ...user,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const [path = ''] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [])]);
  await ended;
  return String(path);
}

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'temporary-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a temporary folder goes when it is disposed of', async () => {
  const folder = makeTemporaryFolder();
  writeFileSync(join(folder.path, 'file'), 'x');
  await folder[Symbol.asyncDispose]();
  expect(existsSync(folder.path)).toBe(false);
});

test.each([
  ['exits', 'process.exit(130)'],
  ['fails', 'queueMicrotask(() => { throw new Error("by intent"); });'],
])('it goes with a process that %s', async (_, end) => {
  const path = await left(folderForTest(), end);
  expect(existsSync(path)).toBe(false);
});

test('that of a process that was killed is removed by the next one, and that of a running process is not', async () => {
  const below = folderForTest();
  const path = await left(below, 'process.kill(process.pid, "SIGKILL")');
  expect(existsSync(path)).toBe(true);
  const running = join(below, `cathedral-${process.pid}-abcdef`);
  writeFileSync(running, '');
  const next = await left(below, 'process.exit(0)');
  expect([path, running, next].map((one) => existsSync(one))).toEqual([false, true, false]);
});

test('one that another user’s process left when it was killed stays, and hinders nobody', async () => {
  const below = mkdtempSync('/tmp/temporary-');
  const foreign = join(below, 'cathedral-4999999-abcdef');
  onTestFinished(() => {
    chmodSync(foreign, 0o700);
    rmSync(below, { recursive: true });
  });
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'file'), '');
  chmodSync(foreign, 0o500);
  chmodSync(below, 0o1777);
  // Root may remove everything; who is not cannot be another user, and may remove nothing from this folder either.
  const path = await left(below, 'process.exit(0)', process.getuid?.() === 0 ? { uid: 65534 } : {});
  expect([path.startsWith(below), existsSync(path), existsSync(foreign)]).toEqual([true, false, true]);
});
