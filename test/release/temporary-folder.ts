import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of the test's own, removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-publish-'));
  // A process that was killed may write a last file into it.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** What `work` throws, for tests that look at an error's members. Fails where it throws nothing. */
export async function failureOf(work: () => Promise<unknown>): Promise<Record<string, unknown>> {
  const [error] = await Promise.allSettled([work()]);
  if (error.status === 'fulfilled') throw new Error('expected a failure');
  return error.reason as Record<string, unknown>;
}
