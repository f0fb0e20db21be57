import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Short: a browser puts a socket below such a folder, whose path can have 107 bytes. */
const PREFIX = 'cathedral-';
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);

/** A folder of this process. */
export interface TemporaryFolder extends AsyncDisposable {
  path: string;
  /** The same as disposing of it, where nothing can be awaited. What cannot be removed now, the next one made removes. */
  remove(): void;
}

/**
 * Makes a folder in the system’s temporary one: `cathedral-<process id>-x7Yz9K`. It is removed when it is disposed of, or when the process exits
 * before that, as after a signal. Also removes those of processes that are gone, which were killed. Throws what the disk throws.
 */
export function makeTemporaryFolder(): TemporaryFolder {
  removeOrphans();
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const remove = () => {
    process.off('exit', remove);
    removeIfPossible(path);
  };
  process.on('exit', remove);
  return {
    path,
    remove,
    async [Symbol.asyncDispose]() {
      process.off('exit', remove);
      await rm(path, { recursive: true, force: true });
    },
  };
}

function removeOrphans(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, owner] = NAME.exec(name) ?? [];
    if (owner !== undefined && !isRunning(Number(owner))) removeIfPossible(join(tmpdir(), name));
  }
}

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A program that is ending still writes, or it belongs to another user of this machine.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to somebody else, who removes the folder.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
