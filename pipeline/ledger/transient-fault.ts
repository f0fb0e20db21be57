/** A fault of a remote server that may be gone at the next attempt. */
export class TransientFault extends Error {
  /** When the server says to come back, ms from now. */
  readonly delayMs: number | undefined;

  constructor(found: string, { cause, delayMs }: { cause?: unknown; delayMs?: number | undefined } = {}) {
    super(found, { cause });
    this.delayMs = delayMs;
  }
}

export interface Attempts {
  /** Of one piece of work, the first included. */
  attempts: number;
  wait: (ms: number) => Promise<void>;
  signal: AbortSignal | undefined;
}

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** Answers besides 5xx after which the same request may succeed: Request Timeout, Too Early, Too Many Requests. */
const TRANSIENT_STATUS = [408, 425, 429];

/**
 * Repeats `work` as long as it throws transient faults: after 1, 2, 4 … s, or when the server says. `giveUp` makes the
 * error of the last one.
 */
export async function retrying<T>(
  { attempts, wait, signal }: Attempts,
  work: () => Promise<T>,
  giveUp: (fault: TransientFault) => Error,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (cause) {
      signal?.throwIfAborted();
      if (!(cause instanceof TransientFault)) throw cause;
      if (attempt >= attempts) throw giveUp(cause);
      await wait(Math.min(cause.delayMs ?? FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS));
      signal?.throwIfAborted();
    }
  }
}

/** The fault of an answer that may be another one later; null where it will not. */
export function statusFault({ status, headers }: Response): TransientFault | null {
  if (status < 500 && !TRANSIENT_STATUS.includes(status)) return null;
  return new TransientFault(`status ${status}`, { delayMs: retryAfterMs(headers) });
}

/** RFC 9110 §10.2.3, in its form of a number of seconds. */
function retryAfterMs(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after');
  return seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

/** `fetch failed` says nothing; its cause does (`ECONNREFUSED`). */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const inner = cause as NodeJS.ErrnoException | undefined;
  return [message, inner?.code ?? inner?.message].filter(Boolean).join(': ');
}
