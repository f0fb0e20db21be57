import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Repeated, type RepeatedWork } from './repeated.ts';

/** Does the work once, and then after each change in the ledger's folder and every `pollMs`. Resolves after the first run. */
export async function watchLedger(
  ledger: string,
  pollMs: number,
  work: RepeatedWork,
): Promise<{ close: () => Promise<void> }> {
  const repeated = new Repeated(work);
  const wake = () => void repeated.wake();
  const watches = [
    new FolderWatch(ledger, (name) => name === 'head.ndjson', wake),
    new FolderWatch(`${ledger}/snapshots`, (name) => name.endsWith('.checkpoint'), wake),
  ];
  const renew = () => Promise.all(watches.map((watch) => watch.renew()));
  await renew();
  await repeated.wake();
  const poll = setInterval(() => void renew().then(wake), pollMs).unref();
  return {
    async close() {
      clearInterval(poll);
      for (const watch of watches) watch.close();
      await repeated.close();
    },
  };
}

interface Watched {
  watcher: FSWatcher | null;
  /** Identifies the watched folder: one that was removed and created again differs. */
  identity: string;
}

/**
 * Calls `wake` when a file of a folder was written, added or replaced, if the system reports it. It does not on network file
 * systems or once its watches are used up, so the owner also polls, less often, and calls `renew`.
 */
class FolderWatch {
  readonly #folder: string;
  readonly #isOfInterest: (name: string) => boolean;
  readonly #wake: () => void;
  #watched: Watched = { watcher: null, identity: '' };
  #isClosed = false;

  constructor(folder: string, isOfInterest: (name: string) => boolean, wake: () => void) {
    this.#folder = folder;
    this.#isOfInterest = isOfInterest;
    this.#wake = wake;
  }

  /** Starts watching, or starts again if the folder was replaced. */
  async renew(): Promise<void> {
    const identity = await stat(this.#folder, { bigint: true }).then(
      ({ dev, ino, birthtimeNs }) => `${dev} ${ino} ${birthtimeNs}`,
      () => '',
    );
    if (this.#isClosed || identity === this.#watched.identity) return;
    this.#watched.watcher?.close();
    const watcher = identity === '' ? null : this.#open();
    this.#watched = { watcher, identity: watcher ? identity : '' };
  }

  close(): void {
    this.#isClosed = true;
    this.#watched.watcher?.close();
  }

  #open(): FSWatcher | null {
    try {
      const watcher = watch(this.#folder, { persistent: false }, (_, name) => {
        if (name === null || this.#isOfInterest(name)) this.#wake();
      });
      return watcher.on('error', () => watcher.close());
    } catch {
      // The folder was removed in between, or no watch is left.
      return null;
    }
  }
}
