import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that `await using` removes at the end of the block. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: (name: string) => string }> {
  const root = await mkdtemp(join(tmpdir(), 'cathedral-sample-'));
  return {
    path: (name) => join(root, name),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
