import { CathedralError, type ErrorCode } from '../errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { counted } from '../words/number.ts';
import { POINTER_KEY } from './layout.ts';
import { LONGEST_POINTER, type Pointer, parsePointer } from './pointer.ts';
import { StoreClock } from './store-clock.ts';

/** There is no pointer, and this server has never had a release: a server that was started before the first run. */
export class NothingPublished extends CathedralError {
  constructor(bucket: string) {
    const expected = 'the pointer to a release';
    super('store_failed', { place: `${bucket}/${POINTER_KEY}`, expected, found: 'none yet' });
  }
}

/** Reads the pointer of a bucket, and accepts none that contradicts what was accepted before. */
export class PointerReader {
  readonly #store: Pick<ObjectStore, 'name' | 'read' | 'head'>;
  readonly #service: string;
  readonly #now: () => number;
  /** The clock of the store, from its answers. */
  readonly clock = new StoreClock();
  readonly place: string;
  #etag: string | null = null;

  constructor(store: Pick<ObjectStore, 'name' | 'read' | 'head'>, service: string, now: () => number) {
    [this.#store, this.#service, this.#now] = [store, service, now];
    this.place = `${store.name}/${POINTER_KEY}`;
  }

  /**
   * Null: it is the one that was read last. `version`: of the release that is served, 0 for none; `accepted`: the newest pointer that was. Throws
   * store_failed, release_refused, and config_invalid for the bucket of another service.
   */
  async newer(version: number, accepted: Pointer | null): Promise<Pointer | null> {
    const sent = this.#now();
    const head = await this.#store.head(POINTER_KEY);
    if (!head && version === 0) throw new NothingPublished(this.#store.name);
    if (!head) throw this.#unusable('store_failed', 'the pointer to a release', 'none');
    if (head.date !== null) this.clock.add(head.date, sent, this.#now());
    if (head.etag === this.#etag) return null;
    const found = await this.#store.read(POINTER_KEY, LONGEST_POINTER);
    if (!found) throw this.#unusable('store_failed', 'the pointer to a release', 'none');
    const pointer = parsePointer(new TextDecoder().decode(found.content), this.place);
    this.#assertAcceptable(pointer, version, accepted);
    this.#etag = found.etag;
    return pointer;
  }

  /** The next `newer` gives the pointer although it was read before. */
  forget(): void {
    this.#etag = null;
  }

  #assertAcceptable({ service, version, manifest, log }: Pointer, served: number, accepted: Pointer | null) {
    if (service !== this.#service)
      throw this.#unusable(
        'config_invalid',
        `releases of ${this.#service}, the address in --base-url`,
        `those of ${service}`,
      );
    const least = Math.max(accepted?.version ?? 0, served);
    if (version < least)
      throw this.#unusable('release_refused', `version ${least}, which was accepted, or later`, `${version}`);
    if (!accepted) return;
    if (version === accepted.version && manifest.sha256 !== accepted.manifest.sha256)
      throw this.#unusable(
        'release_refused',
        `the manifest ${accepted.manifest.sha256} of version ${version}, which was accepted`,
        manifest.sha256,
      );
    if (log.size < accepted.log.size)
      throw this.#unusable(
        'release_refused',
        `a log of ${counted(accepted.log.size, 'event')} or more`,
        `${log.size}`,
      );
  }

  #unusable(code: ErrorCode, expected: string, found: string): CathedralError {
    return new CathedralError(code, { place: this.place, expected, found });
  }
}
