import { unwatchFile, watchFile } from 'node:fs';
import { Repeated, type RepeatedWork } from './repeated.ts';

/** How often the head and the folder of ledger snapshots are looked at, ms: a system call each, on any disk. Systems report no changes on network disks. */
const LOOK_MS = 100;

/** Does the work once, and then after each change in the ledger's folder and every `pollMs`. Resolves after the first run. */
export async function watchLedger(
  ledger: string,
  pollMs: number,
  work: RepeatedWork,
): Promise<{ close: () => Promise<void> }> {
  const repeated = new Repeated(work);
  const wake = () => void repeated.wake();
  const watched = [`${ledger}/head.ndjson`, `${ledger}/snapshots`];
  for (const path of watched) watchFile(path, { interval: LOOK_MS, persistent: false }, wake);
  await repeated.wake();
  const poll = setInterval(wake, pollMs).unref();
  return {
    async close() {
      clearInterval(poll);
      for (const path of watched) unwatchFile(path, wake);
      await repeated.close();
    },
  };
}
