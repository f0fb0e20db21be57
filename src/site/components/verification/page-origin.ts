import { CathedralError } from '../../../../pipeline/errors.ts';
import type { Opened, Origin } from '../../../../pipeline/verify/origin/origin.ts';
import { Pace } from '../../../../pipeline/verify/origin/pace.ts';

const GONE: ReadonlySet<number> = new Set([404, 410]);
const NO_VALIDATOR = { etag: null, lastModified: null };

/** The host that this page came from, whichever that is: the service or a mirror. No other one is ever asked. */
export class PageOrigin implements Origin {
  /** What it took, for the reader to see. */
  readonly traffic = { requests: 0, bytes: 0 };
  readonly #stallMs: number;

  /** The default is that of the command line's `--transfer-stall`. */
  constructor(stallMs = 30_000) {
    this.#stallMs = stallMs;
  }

  placeOf(path: string): string {
    return `/${path}`;
  }

  /** The reader presses the button again. */
  retrying<T>(_path: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** Files of a release are not asked for here: a reader has them. */
  async answersLive(): Promise<boolean> {
    return false;
  }

  async open(path: string): Promise<Opened | null> {
    const place = this.placeOf(path);
    this.traffic.requests += 1;
    // What never changes may come out of the browser's own store: it is checked all the same.
    const cache = path.startsWith('log/tile/') ? 'default' : 'no-cache';
    const pace = new Pace(this.#stallMs, undefined);
    const { signal } = pace;
    const response = await fetch(place, { cache, credentials: 'omit', redirect: 'error', signal }).catch(
      (cause: Error) => {
        pace.end();
        throw unreachable(place, 'an answer', cause.message, cause);
      },
    );
    if (response.status === 200)
      return { from: 0, bytes: null, validator: NO_VALIDATOR, body: this.#read(response, place, pace) };
    pace.end();
    // Left alone, the browser would go on with it.
    await response.body?.cancel().catch(() => {});
    if (GONE.has(response.status)) return null;
    throw unreachable(place, 'status 200', `status ${response.status}`);
  }

  async *#read({ body }: Response, place: string, pace: Pace): AsyncGenerator<Uint8Array> {
    const reader = body?.getReader();
    try {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
        this.traffic.bytes += next.value.length;
        pace.add(next.value.length);
        yield next.value;
      }
    } catch (cause) {
      throw unreachable(place, 'the whole file', (cause as Error).message, cause);
    } finally {
      pace.end();
      // Who has enough stops here, and so does the transfer.
      await reader?.cancel().catch(() => {});
    }
  }
}

function unreachable(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('mirror_unreachable', { place, expected, found, cause });
}
