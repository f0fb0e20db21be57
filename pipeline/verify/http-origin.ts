import { SETTINGS } from '../config/settings.ts';
import { CathedralError, errorOf, type Fault } from '../errors.ts';
import { Pace, STALL_MS } from '../pace.ts';
import { type Attempts, reasonOf, retrying, statusFault, TransientFault } from '../transient-fault.ts';
import { formatCount } from '../words/number.ts';
import { printable } from '../words/printable.ts';
import { type Opened, type OpenOptions, Origin } from './origin.ts';

const unreachable = errorOf('mirror_unreachable');

export interface HttpOriginOptions extends Omit<Attempts, 'signal'> {
  /** `https://data.example.org`, with a path where the service is below one. */
  baseUrl: string;
  fetch: typeof fetch;
  /** How long a transfer may stay below 8 kB per second. Default: STALL_MS. */
  stallMs?: number;
  /** How long all requests together may take, from the construction of the origin. */
  timeLimitMs: number;
  /** `cathedral-data-service 1.0.0` */
  software: string;
  /** Sent as `Authorization: Bearer …` to raise the quota; null: none. */
  apiKey: string | null;
  /** The operator knows that it serves only files, as a mirror does. */
  isStatic: boolean;
  /** Receives the reason and time of each retry. */
  log: (line: string) => void;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const GONE: ReadonlySet<number> = new Set([404, 410]);
/** A running service answers `/live` with these when it has too many listeners. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/** Reasons of the connection itself that the next attempt would meet again: no such host or port, no trusted certificate, a proxy's password. */
const LASTING =
  /\b(ECONNREFUSED|ENOTFOUND|bad port|ERR_TLS_\w+|ERR_SSL_\w+|UNABLE_TO_\w+|\w*CERT\w*)|\(407\)/;

/** A host of static files. */
export class HttpOrigin extends Origin {
  readonly #options: HttpOriginOptions;
  readonly #stallMs: number;
  readonly #base: string;
  /** For reports. */
  readonly traffic = { requests: 0, bytes: 0 };
  readonly #stop = new AbortController();
  #isLive: Promise<boolean> | undefined;
  #hasAnswered = false;

  constructor(options: HttpOriginOptions) {
    super();
    this.#options = options;
    this.#stallMs = options.stallMs ?? STALL_MS;
    this.#base = options.baseUrl.replace(/\/+$/, '');
    const { timeLimitMs } = options;
    const expected = `an end of the run within ${timeLimitMs / 1000} s`;
    setTimeout(() => {
      this.#end({ place: this.#base, expected, found: 'unanswered requests' });
    }, timeLimitMs).unref();
  }

  placeOf(path: string): string {
    return `${this.#base}/${path}`;
  }

  retrying<T>(path: string, work: () => Promise<T>): Promise<T> {
    const { attempts, wait, log } = this.#options;
    const place = this.placeOf(path);
    const told = ({ message }: TransientFault, ms: number) =>
      log(`${place}: ${message}; trying again in ${ms / 1000} s`);
    return retrying({ attempts, wait, signal: this.#stop.signal, told }, work, (fault) => {
      if (!fault.isLong)
        return unreachable(
          place,
          `an answer within ${formatCount(attempts, 'attempt', 'attempts')}`,
          fault.message,
          fault,
        );
      this.#end({ place, expected: `an answer within a minute; ${this.#advice()}`, found: fault.message });
      return this.#stop.signal.reason;
    });
  }

  #advice(): string {
    const key = `set ${SETTINGS.readerApiKey.env} to an API key, which raises the quota`;
    return this.#options.apiKey === null ? `run it again then, or ${key}` : 'run it again then';
  }

  /** Makes every current and later request throw this. */
  #end(fault: Fault): void {
    this.#stop.abort(new CathedralError('mirror_stopped', fault));
  }

  override async answersLive(path: string): Promise<boolean> {
    // Loading the table takes longer than a small verification, and few need it.
    const { LIVE_PATHS } = await import('../artifacts/table.ts');
    if (!LIVE_PATHS.includes(path)) return false;
    this.#isLive ??= this.#options.isStatic ? Promise.resolve(false) : this.#hasStream();
    return this.#isLive;
  }

  /** Only a running service has `/live`. */
  async #hasStream(): Promise<boolean> {
    const pace = new Pace(this.#stallMs, this.#stop.signal);
    let response: Response | null = null;
    try {
      response = await this.#ask(this.placeOf('live'), this.#headers({}), pace);
      const type = response.headers.get('content-type') ?? '';
      return response.status === 200 ? type.startsWith('text/event-stream') : BUSY.has(response.status);
    } catch (error) {
      throw this.#explain(error, 'live');
    } finally {
      await leave(response, pace);
    }
  }

  async open(path: string, options: OpenOptions = {}): Promise<Opened | 'unchanged' | null> {
    const pace = new Pace(this.#stallMs, this.#stop.signal);
    let response: Response | null = null;
    try {
      response = await this.#ask(this.placeOf(path), this.#headers(options), pace);
      const found = understand(response, options, this.placeOf(path));
      if (found !== null && found !== 'unchanged')
        return { ...found, body: this.#read(response, path, pace) };
      await leave(response, pace);
      return found;
    } catch (error) {
      await leave(response, pace);
      throw this.#explain(error, path);
    }
  }

  #headers({ from = 0, to, last, unless, compressible = false }: OpenOptions): Record<string, string> {
    const { software, apiKey } = this.#options;
    return {
      // The hash is that of the uncompressed file, and a content coding would hide its length.
      'accept-encoding': compressible ? 'gzip, identity' : 'identity',
      'user-agent': software.replace(' ', '/'),
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      ...(last !== undefined && { range: `bytes=-${last}` }),
      ...((from > 0 || to !== undefined) && { range: `bytes=${from}-${to === undefined ? '' : to - 1}` }),
      ...(unless?.etag && { 'if-none-match': unless.etag }),
      ...(unless?.lastModified && { 'if-modified-since': unless.lastModified }),
    };
  }

  /** Follows redirects within this host: another host's answer is not this origin's. */
  async #ask(url: string, headers: Record<string, string>, pace: Pace): Promise<Response> {
    let sent = headers;
    for (let hop = 0, next = url; ; hop += 1) {
      this.traffic.requests += 1;
      const options = { headers: sent, redirect: 'manual', signal: pace.signal } as const;
      const response = await this.#options.fetch(next, options);
      this.#hasAnswered = true;
      if (response.status === 403 && sent.authorization !== undefined) {
        // A key of some areas is refused in the others, whose public files need none.
        await response.body?.cancel();
        const { authorization: _, ...open } = sent;
        sent = open;
        continue;
      }
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null) return response;
      await response.body?.cancel();
      const target = URL.canParse(location, next) ? new URL(location, next) : null;
      if (target?.origin !== new URL(next).origin)
        throw unreachable(url, `an answer of ${new URL(url).origin}`, `a redirect to ${printable(location)}`);
      if (hop === MAX_REDIRECTS) throw unreachable(url, `at most ${MAX_REDIRECTS} redirects`, 'more');
      next = target.href;
    }
  }

  async *#read(response: Response, path: string, pace: Pace): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of response.body ?? []) {
        this.traffic.bytes += chunk.length;
        pace.add(chunk.length);
        yield chunk;
      }
    } catch (error) {
      throw this.#explain(error, path);
    } finally {
      pace.end();
    }
  }

  #explain(error: unknown, path: string): unknown {
    if (error instanceof CathedralError || error instanceof TransientFault) return error;
    if (this.#stop.signal.aborted) return this.#stop.signal.reason;
    const reason = reasonOf(error);
    // An address that is wrong is likelier than a host that is about to start. Once it has answered, it is the other way round.
    if (!this.#hasAnswered && LASTING.test(reason))
      return unreachable(this.placeOf(path), 'a host that can be connected to', reason, error);
    return new TransientFault(reason, { cause: error });
  }
}

/** An unread body would hold its connection. */
async function leave(response: Response | null, pace: Pace): Promise<void> {
  pace.end();
  await response?.body?.cancel().catch(() => {});
}

function understand(
  response: Response,
  { from = 0, to, last, unless, compressible = false }: OpenOptions,
  place: string,
): Omit<Opened, 'body'> | 'unchanged' | null {
  const { status, headers } = response;
  if (status === 304 && unless) return 'unchanged';
  if (GONE.has(status)) return null;
  // Only a request for a range may get a part.
  if (status !== 200 && !(status === 206 && (from > 0 || to !== undefined || last !== undefined)))
    throw statusFault(response) ?? unreachable(place, 'status 200', `status ${status}`);
  const coding = headers.get('content-encoding') ?? 'identity';
  // `fetch` has decompressed it.
  const isCompressed = compressible && /^(x-)?gzip$/i.test(coding);
  if (coding !== 'identity' && !isCompressed)
    throw unreachable(place, 'the file without content coding', printable(coding));
  const length = headers.get('content-length');
  return {
    ...(status !== 206
      ? { from: 0 }
      : last === undefined
        ? { from: startOf(headers, from) }
        : endOf(headers)),
    bytes: length !== null && !isCompressed && /^\d{1,15}$/.test(length) ? Number(length) : null,
    validator: { etag: headers.get('etag'), lastModified: headers.get('last-modified') },
  };
}

/** The first byte of a part at the end, and the length of the file. */
function endOf(headers: Headers): { from: number; total: number } {
  const [, first, end, total] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers.get('content-range') ?? '') ?? [];
  if (total !== undefined && Number(end) + 1 === Number(total))
    return { from: Number(first), total: Number(total) };
  throw new TransientFault(
    `an unreadable Content-Range, ${printable(headers.get('content-range') ?? 'none')}`,
  );
}

/** The first byte of a part, RFC 9110 §14.4. */
function startOf(headers: Headers, from: number): number {
  const [, first] = /^bytes (\d{1,15})-\d+\/(?:\d+|\*)$/.exec(headers.get('content-range') ?? '') ?? [];
  if (Number(first) === from) return from;
  throw new TransientFault(`a part that does not begin at byte ${from}`);
}
