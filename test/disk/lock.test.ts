import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { withLock } from '../../pipeline/disk/lock.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';

const LOCK = join(import.meta.dirname, '../../pipeline/disk/lock.ts');

/** Another process that holds the lock until it is killed. */
async function holdElsewhere(out: string) {
  const script = `import { withLock } from ${JSON.stringify(LOCK)};
    await withLock(${JSON.stringify(out)}, { waitMs: 0, holder: 'another process' }, async () => {
      console.log('held');
      await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout!, 'data');
  return child;
}

test('a lock held by another process is refused, and the error names the process', async () => {
  const out = await temporaryFolder();
  await holdElsewhere(out);
  const error = await failureOf(() => withLock(out, { waitMs: 100, holder: 'me' }, async () => {}));
  expect(error).toMatchObject({ code: 'locked', place: out, found: 'another process' });
});

test('the lock of a killed process is free at once, and has left no journal', async () => {
  const out = await temporaryFolder();
  const child = await holdElsewhere(out);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await readdir(out)).sort()).toEqual(['lock', 'lock.holder']);
  expect(await withLock(out, { waitMs: 0, holder: 'me' }, async () => 'done')).toBe('done');
});

test('a waiting process gets the lock when the holder is killed', async () => {
  const out = await temporaryFolder();
  const child = await holdElsewhere(out);
  const waiting = withLock(out, { waitMs: 120_000, holder: 'me' }, async () => 'done');
  await sleep(120);
  child.kill('SIGKILL');
  expect(await waiting).toBe('done');
});

test('a missing folder is created, and an invalid lock file is rejected', async () => {
  const out = join(await temporaryFolder(), 'a/b');
  await withLock(out, { waitMs: 0, holder: 'me' }, () => access(out));
  await writeFile(join(out, 'lock'), 'not a lock '.repeat(100));
  const error = await failureOf(() => withLock(out, { waitMs: 0, holder: 'me' }, async () => {}));
  expect(error).toMatchObject({ code: 'publish_failed', place: join(out, 'lock') });
});

test('of many that wait, some of which fail, one at a time holds it', async () => {
  const out = join(await temporaryFolder(), 'a/b');
  let [holders, most] = [0, 0];
  const runs = Array.from({ length: 8 }, (_, run) =>
    withLock(out, { waitMs: 20_000, holder: `run ${run}` }, async () => {
      most = Math.max(most, ++holders);
      await sleep(5);
      holders -= 1;
      if (run % 2 === 0) throw new Error('refused');
    }),
  );
  const ends = await Promise.allSettled(runs);
  expect([most, ends.filter(({ status }) => status === 'fulfilled').length]).toEqual([1, 4]);
});
