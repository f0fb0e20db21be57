import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTemporaryFolder } from '../../pipeline/disk/temporary-folder.ts';

const MODULE = new URL('../../pipeline/disk/temporary-folder.ts', import.meta.url).href;

/** A process that makes a folder with a file, says where, and ends in its way. Its own temporary folder is `below`. */
async function left(below: string, end: string): Promise<string> {
  const work = `
    import { writeFileSync } from 'node:fs';
    const { makeTemporaryFolder } = await import(${JSON.stringify(MODULE)});
    const folder = makeTemporaryFolder();
    writeFileSync(folder.path + '/file', 'x');
    process.stdout.write(folder.path, () => { ${end} });
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', work], {
    env: { ...process.env, TMPDIR: below },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const [path] = await once(child.stdout, 'data');
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
