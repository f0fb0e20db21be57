import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder that all test files of a run share, for what is dear to make. */
    sharedFolder: string;
  }
}

/** Before the first test and after the last one of a run. */
export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'cathedral-shared-'));
  provide('sharedFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
