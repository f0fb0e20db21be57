import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { TransientFault } from '../transient-fault.ts';
import { type Opened, type OpenOptions, Origin } from '../verify/origin.ts';

/** A damaged object may have been damaged on its way, so it is fetched again before it is reported. */
const ATTEMPTS = 3;
const FIRST_DELAY_MS = 100;

/** The objects of a store as an origin, from which `fetchBlob` fetches verified files. A path is a key. */
export class StoreOrigin extends Origin {
  readonly #store: Pick<ObjectStore, 'name' | 'get'>;
  readonly #signal: AbortSignal | undefined;

  constructor(store: Pick<ObjectStore, 'name' | 'get'>, signal?: AbortSignal) {
    super();
    this.#store = store;
    this.#signal = signal;
  }

  placeOf(key: string): string {
    return `${this.#store.name}/${key}`;
  }

  async open(key: string, { from = 0 }: OpenOptions = {}): Promise<Opened | null> {
    this.#signal?.throwIfAborted();
    const found = await this.#store.get(key, from);
    if (found === null) return null;
    const validator = { etag: found.etag, lastModified: null };
    return { from, bytes: found.bytes - from, validator, body: found.body };
  }

  /** The store repeats requests itself; this repeats them for bytes that are not the promised ones. Throws release_invalid. */
  async retrying<T>(_key: string, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        this.#signal?.throwIfAborted();
        const fault = mismatchIn(error);
        if (!fault) throw error;
        if (attempt === ATTEMPTS) throw new CathedralError('release_invalid', { ...fault, cause: fault });
        await sleep(FIRST_DELAY_MS * 2 ** (attempt - 1), undefined, { signal: this.#signal });
      }
    }
  }
}

/** The mismatch behind an error of `fetchBlob`; null for any other error. */
function mismatchIn(error: unknown): CathedralError | null {
  if (error instanceof TransientFault) return mismatchIn(error.cause);
  return error instanceof CathedralError && error.code === 'mirror_mismatch' ? error : null;
}
