import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

/** Calls `update` once, and then after each change in the ledger's folder and every `pollMs`. Resolves after the first call. */
export async function watchLedger(
  ledger: string,
  pollMs: number,
  update: () => Promise<number>,
): Promise<{ close: () => Promise<void> }> {
  const updates = new Coalescer(update);
  const wake = () => void updates.wake();
  const watches = [
    new FolderWatch(ledger, (name) => name === 'head.ndjson', wake),
    new FolderWatch(`${ledger}/snapshots`, (name) => name.endsWith('.checkpoint'), wake),
  ];
  const renew = () => Promise.all(watches.map((watch) => watch.renew()));
  await renew();
  await updates.wake();
  const poll = setInterval(() => void renew().then(wake), pollMs).unref();
  return {
    async close() {
      clearInterval(poll);
      for (const watch of watches) watch.close();
      await updates.close();
    },
  };
}

/**
 * Runs one piece of work whenever it is woken, one run at a time, with a pause after each. All wakes during a run or a pause
 * lead to one further run, so a thousand wakes at once cost two runs.
 */
export class Coalescer {
  readonly #work: () => Promise<number>;
  #running: Promise<void> | null = null;
  #pause: NodeJS.Timeout | null = null;
  #isWanted = false;
  #isClosed = false;

  /** `work` resolves to the pause that must follow, ms; it never rejects. */
  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /** Returns the current run, which this may have started; null during a pause. */
  wake(): Promise<void> | null {
    this.#isWanted = true;
    if (!this.#running && !this.#pause && !this.#isClosed) this.#running = this.#run();
    return this.#running;
  }

  /** Resolves when the current run is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pause) clearTimeout(this.#pause);
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#isWanted = false;
    const pauseMs = await this.#work();
    this.#running = null;
    if (this.#isClosed) return;
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#isWanted) this.wake();
    }, pauseMs).unref();
  }
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
