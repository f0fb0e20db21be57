import { type FSWatcher, watch } from 'node:fs';
import { Repeated, type RepeatedWork } from './repeated.ts';

/**
 * Does the work once, then after each change in the ledger's folder that the system reports, and every `pollMs`: it reports none on network disks,
 * or once its watches are used up. Resolves after the first run.
 */
export async function watchLedger(
  ledger: string,
  pollMs: number,
  work: RepeatedWork,
): Promise<{ close: () => Promise<void> }> {
  const repeated = new Repeated(work);
  const wake = () => void repeated.wake();
  let watchers: (FSWatcher | null)[] = [];
  const close = () => {
    for (const watcher of watchers) watcher?.close();
  };
  // Begun again each time, since a folder may have been replaced.
  const renew = () => {
    close();
    watchers = [
      watchFolder(ledger, (name) => name === 'head.ndjson', wake),
      watchFolder(`${ledger}/snapshots`, (name) => name.endsWith('.checkpoint'), wake),
    ];
  };
  renew();
  await repeated.wake();
  const poll = setInterval(() => {
    renew();
    wake();
  }, pollMs).unref();
  return {
    async close() {
      clearInterval(poll);
      close();
      await repeated.close();
    },
  };
}

/** Null if there is no such folder, or no watch is left. */
function watchFolder(
  folder: string,
  isOfInterest: (name: string) => boolean,
  wake: () => void,
): FSWatcher | null {
  try {
    const onChange = (_: string, name: string | null) => {
      if (name === null || isOfInterest(name)) wake();
    };
    return watch(folder, { persistent: false }, onChange).on('error', () => {});
  } catch {
    return null;
  }
}
