import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

interface Watched {
  watcher: FSWatcher | null;
  /** Of the folder that is watched: one that was removed and made again is another one. */
  identity: string;
}

/**
 * Says when a file of a folder was written, added or replaced, as far as the system tells: not on network file systems, and
 * not when the system's watches are used up. So whoever listens looks by itself too, if more rarely, and calls `renew`.
 */
export class FolderWatch {
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

  /** Begins to watch, or begins anew where the folder is another one by now. */
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
      // Removed in between, or no watch is left.
      return null;
    }
  }
}
