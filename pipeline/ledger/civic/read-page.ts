import { CathedralError } from '../../errors.ts';
import { parseRemotePage, type RemoteEvent } from './remote-event.ts';

/** How the remote ledger is reached; effects are passed in. */
export interface Remote {
  /** The ledger's base address, `https://ledger.example/api`; `/ledger/events` is below it. */
  baseUrl: URL;
  fetch: typeof fetch;
  wait: (ms: number) => Promise<void>;
  signal: AbortSignal | undefined;
  /** For one request with its answer. */
  timeoutMs: number;
  /** Requests for one page, the first included. */
  attempts: number;
}

/** A page of a hundred events at the line limit is a tenth of this. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** Answers besides 5xx after which the same request may succeed: Request Timeout, Too Early, Too Many Requests. */
const TRANSIENT_STATUS = [408, 425, 429];

/** A fault that may be gone at the next attempt. */
class TransientFault extends Error {
  readonly delayMs: number | undefined;

  constructor(found: string, { cause, delayMs }: { cause?: unknown; delayMs?: number | undefined } = {}) {
    super(found, { cause });
    this.delayMs = delayMs;
  }
}

/**
 * One page of the remote ledger. What may pass (a server error, a time-out, a broken connection, text that is no whole
 * JSON) is tried again after 1, 2, 4 … s, or when the server says. Throws `import_failed`, naming the URL.
 */
export async function readPage(remote: Remote, limit: number, offset: number): Promise<RemoteEvent[]> {
  const url = pageUrl(remote.baseUrl, limit, offset);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryPage(remote, url);
    } catch (cause) {
      remote.signal?.throwIfAborted();
      if (!(cause instanceof TransientFault)) throw cause;
      if (attempt >= remote.attempts)
        throw failed(url, `a page of events, asked ${attempt} times`, cause.message, cause);
      const delay = cause.delayMs ?? FIRST_DELAY_MS * 2 ** (attempt - 1);
      await remote.wait(Math.min(delay, MAX_DELAY_MS));
      remote.signal?.throwIfAborted();
    }
  }
}

function pageUrl(base: URL, limit: number, offset: number): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/ledger/events`;
  url.search = new URLSearchParams({ limit: `${limit}`, offset: `${offset}` }).toString();
  return url.href;
}

async function tryPage(remote: Remote, url: string): Promise<RemoteEvent[]> {
  const text = await readText(remote, url);
  try {
    return parseRemotePage(text, url);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new TransientFault(`${text.length} characters that are not JSON: ${cause.message}`, { cause });
  }
}

async function readText(remote: Remote, url: string): Promise<string> {
  const timeout = AbortSignal.timeout(remote.timeoutMs);
  const signal = remote.signal ? AbortSignal.any([timeout, remote.signal]) : timeout;
  try {
    const headers = { accept: 'application/json' };
    // An answer from another address than the one that was configured is not this ledger's.
    const response = await remote.fetch(url, { signal, headers, redirect: 'manual' });
    if (response.status !== 200) throw await statusFault(response, url);
    return new TextDecoder('utf-8', { fatal: true }).decode(await readBody(response, url));
  } catch (cause) {
    if (cause instanceof CathedralError || cause instanceof TransientFault) throw cause;
    if (timeout.aborted) throw new TransientFault(`nothing whole within ${remote.timeoutMs} ms`, { cause });
    throw new TransientFault(reasonOf(cause), { cause });
  }
}

async function readBody(response: Response, url: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_PAGE_BYTES) throw failed(url, `at most ${MAX_PAGE_BYTES} bytes`, 'more');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function statusFault(response: Response, url: string): Promise<Error> {
  const { status } = response;
  // Unread, the body would hold its connection.
  await response.body?.cancel();
  if (status >= 500 || TRANSIENT_STATUS.includes(status)) {
    return new TransientFault(`status ${status}`, { delayMs: retryAfterMs(response) });
  }
  const location = response.headers.get('location');
  return failed(
    url,
    'status 200',
    location === null ? `status ${status}` : `status ${status} to ${location}`,
  );
}

/** RFC 9110 §10.2.3, in its form of a number of seconds. */
function retryAfterMs(response: Response): number | undefined {
  const seconds = response.headers.get('retry-after');
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

/** `fetch failed` says nothing; its cause does (`ECONNREFUSED`). */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const inner = cause as NodeJS.ErrnoException | undefined;
  return [message, inner?.code ?? inner?.message].filter(Boolean).join(': ');
}

function failed(url: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('import_failed', { place: url, expected, found, cause });
}
