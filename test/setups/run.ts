import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Engines } from './engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder that all test files of a run share, for what is dear to make. */
    sharedFolder: string;
  }
}

const MEMORY = '/dev/shm';
/** Several times what there is at once of what the tests write. */
const ENOUGH_BYTES = 2 * 2 ** 30;

/** Where a service keeps what it has, in a checkout that may be an operator's: keys among it. Tests leave it alone. */
const KEPT = resolve(import.meta.dirname, '../../var');

/**
 * Before the first test and after the last one of a run: the temporary folder, of the tests and of what they start, is one of
 * the run's own; in memory, where there is enough. Releases are thousands of small files, each of them flushed: that a
 * flush keeps them is nothing that a test could see, see test/faults for what it does. Whoever ends runs before their time says with
 * TESTS_IN where it is, and removes it.
 */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(
    join(process.env.TESTS_IN ?? ((await hasRoom()) ? MEMORY : tmpdir()), 'cathedral-tests-'),
  );
  process.env.TMPDIR = folder;
  // Also where the run is interrupted.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  // As the command line does, so that the other programs that tests start begin in half of the time.
  process.env.NODE_COMPILE_CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/node');
  const shared = join(folder, 'shared');
  await mkdir(shared);
  provide('sharedFolder', shared);
  const engines = await Engines.listen(join(folder, 'engines'));
  provide('engines', join(folder, 'engines'));
  const kept = await namesIn(KEPT);
  return async () => {
    await engines.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    const left = (await namesIn(KEPT)).filter((name) => !kept.includes(name));
    if (left.length > 0) throw new Error(`${KEPT}: expected what was there before the tests, found ${left}`);
  };
}

/** Of the folder, and of those in it. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const inner = await Promise.all(
    names.map(async (name) =>
      (await readdir(join(folder, name)).catch(() => [])).map((below) => join(name, below)),
    ),
  );
  return [...names, ...inner.flat()];
}

async function hasRoom(): Promise<boolean> {
  const disk = await statfs(MEMORY).catch(() => null);
  if (!disk) return false;
  return Math.min(disk.bavail * disk.bsize, process.availableMemory()) >= ENOUGH_BYTES;
}
