import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Several times what there is at once of what the tests write. */
const ENOUGH_BYTES = 2 * 2 ** 30;

/**
 * Before the first test and after the last one of a run: the temporary folder, of the tests and of what they start, is one of
 * the run's own; in memory, where there is enough. Releases are thousands of small files, each of them flushed: that a
 * flush keeps them is nothing that a test could see, see test/faults for what it does.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join((await hasRoom()) ? MEMORY : tmpdir(), 'cathedral-tests-'));
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function hasRoom(): Promise<boolean> {
  const disk = await statfs(MEMORY).catch(() => null);
  if (!disk) return false;
  return Math.min(disk.bavail * disk.bsize, process.availableMemory()) >= ENOUGH_BYTES;
}
