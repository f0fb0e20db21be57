/** A fault of a remote server that may not recur. */
export class TransientFault extends Error {
  /** Delay that the server asked for, ms. */
  readonly delayMs: number | undefined;

  constructor(found: string, { cause, delayMs }: { cause?: unknown; delayMs?: number | undefined } = {}) {
    super(found, { cause });
    this.delayMs = delayMs;
  }

  /** The delay is too long to wait for silently. */
  get isLong(): boolean {
    return (this.delayMs ?? 0) > MAX_DELAY_MS;
  }
}

export interface Attempts {
  /** Attempts in total. */
  attempts: number;
  wait: (ms: number) => Promise<void>;
  signal?: AbortSignal;
  /** Before the first retry; each later delay is twice as long. Default: a second. */
  firstDelayMs?: number;
  /** Called with each fault before a retry, and with the delay in ms. */
  told?: (fault: TransientFault, delayMs: number) => void;
}

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;
/** Answers besides 5xx after which the same request may succeed: Request Timeout, Too Early, Too Many Requests. */
const TRANSIENT_STATUS = [408, 425, 429];

/**
 * Retries `work` while it throws transient faults, after 1, 2, 4 … s (with the default) or the delay that the server asked for, unless that exceeds a
 * minute. `giveUp` makes the error from the last fault.
 */
export async function retrying<T>(
  { attempts, wait, signal, firstDelayMs = FIRST_DELAY_MS, told }: Attempts,
  work: () => Promise<T>,
  giveUp: (fault: TransientFault) => Error,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (cause) {
      signal?.throwIfAborted();
      if (!(cause instanceof TransientFault)) throw cause;
      if (attempt >= attempts || cause.isLong) throw giveUp(cause);
      const delayMs = Math.min(cause.delayMs ?? firstDelayMs * 2 ** (attempt - 1), MAX_DELAY_MS);
      told?.(cause, delayMs);
      await wait(delayMs);
      signal?.throwIfAborted();
    }
  }
}

/** The fault of a response that may differ later; null if it will not. */
export function statusFault({ status, headers }: Response): TransientFault | null {
  if (status < 500 && !TRANSIENT_STATUS.includes(status)) return null;
  const delayMs = retryAfterMs(headers.get('retry-after'), headers.get('date'));
  const when =
    delayMs !== undefined && delayMs > MAX_DELAY_MS ? `, to be asked again in ${hours(delayMs)}` : '';
  return new TransientFault(`status ${status}${when}`, { delayMs });
}

/** RFC 9110 §10.2.3: a number of seconds, or a time by the server's own clock. */
export function retryAfterMs(
  value: string | null | undefined,
  date: string | null | undefined,
): number | undefined {
  if (/^\d{1,10}$/.test(value ?? '')) return Number(value) * 1000;
  const now = Date.parse(date ?? '') || Date.now();
  const delayMs = Date.parse(value ?? '') - now;
  return delayMs > 0 ? delayMs : undefined;
}

/** `20 h 53 min` */
function hours(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const UNKNOWN_AUTHORITY = /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER))/;
const UNFIT_CERTIFICATE = /CERT/;

/** `fetch failed` tells nothing, but what caused it does: `ECONNREFUSED`, or the words in which a proxy was understood. */
export function reasonOf(error: unknown): string {
  const { message } = error as Error;
  let cause = error as NodeJS.ErrnoException;
  while (cause.cause) cause = cause.cause as NodeJS.ErrnoException;
  const { code = '' } = cause;
  if (UNKNOWN_AUTHORITY.test(code))
    return `a certificate of an authority that this machine does not know (${code}); NODE_EXTRA_CA_CERTS=FILE names another one`;
  if (UNFIT_CERTIFICATE.test(code)) return `an unfit certificate (${code}): ${cause.message}`;
  if (cause === error) return message;
  // Of the client of Node, the words say more than the codes: “Proxy Authentication Required (407)”, not UND_ERR_INVALID_ARG.
  const why = /^(?!UND_)[A-Z]/.test(code) ? code : cause.message;
  return [message, why].filter(Boolean).join(': ');
}
