import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const STATUSES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * From now on everything temporary of this process, and of those that it starts, is in one folder. However it ends, short of SIGKILL, the
 * folder and all processes that have it are gone.
 */
export function useWorkPlace(): void {
  const folder = mkdtempSync(join(tmpdir(), 'cathedral-bench-'));
  // Root runs PostgreSQL as another user, which has a folder below.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  process.once('exit', () => {
    killBelow(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const [signal, status] of Object.entries(STATUSES))
    process.once(signal, () => {
      // A ledger of fifty years has some hundred thousand files.
      console.log(`${signal}: removing what the benchmarks wrote …`);
      process.exit(status);
    });
}

/** Until there is none: one that is about to end may have started another. */
function killBelow(folder: string): void {
  for (let found = [0]; found.length > 0; ) {
    found = readdirSync('/proc')
      .map(Number)
      .filter((id) => id > 0 && id !== process.pid && isBelow(id, folder));
    for (const id of found) tryKill(id);
  }
}

/** A process that has ended, and waits for its parent, has no environment. */
function isBelow(id: number, folder: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${id}/environ`, 'utf8')}`.includes(`\0TMPDIR=${folder}`);
  } catch {
    return false;
  }
}

function tryKill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
