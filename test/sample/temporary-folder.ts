import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is gone when the block that `await using`s it ends. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: (name: string) => string }> {
  const root = await mkdtemp(join(tmpdir(), 'cathedral-sample-'));
  return {
    path: (name) => join(root, name),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
