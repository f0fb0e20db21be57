import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/**
 * An empty folder that is there from before the first test until after the last one. Called once by a file or a `describe`, outside its
 * tests and before its own hooks: `const folder = useFolder();`.
 */
export function useFolder(): string {
  const folder = join(tmpdir(), `cathedral-${randomBytes(4).toString('hex')}`);
  beforeAll(() => void mkdirSync(folder, { mode: 0o700 }));
  // A process that was killed may write a last file into it.
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
