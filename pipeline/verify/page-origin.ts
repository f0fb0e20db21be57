import { errorOf } from '../errors.ts';
import { Pace, STALL_MS } from '../pace.ts';
import { type Opened, type OpenOptions, Origin } from './origin.ts';

const unreachable = errorOf('mirror_unreachable');

const GONE: ReadonlySet<number> = new Set([404, 410]);
/** Paths whose bytes never change. */
const LASTING = /^(log\/(tile|public\/v\d+)\/|snapshots\/\d)/;
const NO_VALIDATOR = { etag: null, lastModified: null };

/** The host that served this page, be it the service or a mirror. No other host is asked. */
export class PageOrigin extends Origin {
  /** Shown to the reader. */
  readonly traffic = { requests: 0, bytes: 0 };
  readonly #stallMs: number;

  constructor(stallMs = STALL_MS) {
    super();
    this.#stallMs = stallMs;
  }

  placeOf(path: string): string {
    return `/${path}`;
  }

  /** The reader can press the button again. */
  retrying<T>(_path: string, work: () => Promise<T>): Promise<T> {
    return work();
  }

  /** A host without ranges sends the whole file. */
  async open(path: string, { from = 0, to, last }: OpenOptions = {}): Promise<Opened | null> {
    const place = this.placeOf(path);
    this.traffic.requests += 1;
    // Tiles, bundles and snapshots never change, so the browser may cache them. They are verified anyway.
    const cache = LASTING.test(path) ? 'default' : 'no-cache';
    const pace = new Pace(this.#stallMs, undefined);
    const { signal } = pace;
    const range = last === undefined ? `${from}-${to === undefined ? '' : to - 1}` : `-${last}`;
    // With a range, browsers accept no content coding.
    const headers: HeadersInit = range === '0-' ? {} : { Range: `bytes=${range}` };
    const how: RequestInit = { cache, credentials: 'omit', redirect: 'error', signal, headers };
    const response = await fetch(place, how).catch((cause: Error) => {
      pace.end();
      throw unreachable(place, 'an answer', cause.message, cause);
    });
    const part = response.status === 206 ? partOf(response) : null;
    if (response.status === 200 || part)
      return {
        from: part?.from ?? 0,
        bytes: null,
        ...(part && { total: part.total }),
        validator: NO_VALIDATOR,
        body: this.#read(response, place, pace),
      };
    pace.end();
    // Otherwise the browser would keep downloading.
    await response.body?.cancel().catch(() => {});
    if (GONE.has(response.status)) return null;
    throw unreachable(
      place,
      range === '0-' ? 'status 200' : 'status 200 or 206',
      `status ${response.status}`,
    );
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
      // A reader that stops early ends the transfer.
      await reader?.cancel().catch(() => {});
    }
  }
}

/** Null if the host does not say which part it is. */
function partOf({ headers }: Response): { from: number; total: number } | null {
  const [, from, total] = /^bytes (\d{1,15})-\d+\/(\d{1,15})$/.exec(headers.get('content-range') ?? '') ?? [];
  return total === undefined ? null : { from: Number(from), total: Number(total) };
}
