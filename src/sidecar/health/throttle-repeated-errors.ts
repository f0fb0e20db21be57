import type { Logger } from 'pino';
import { CathedralError } from '../../../pipeline/errors.ts';

type ErrorLog = Pick<Logger, 'error' | 'info'>;

const REPEAT_MS = 60_000;

/**
 * A log that holds an error which every request causes, such as an unreadable store, once a minute. Otherwise anyone could
 * fill the disk by sending requests, and it may be the full disk that causes the error. `now`: ms.
 */
export function throttleRepeatedErrors(logger: ErrorLog, now: () => number): ErrorLog {
  const loggedAt = new Map<string, number>();
  const isRepeated = (about: unknown, message: unknown): boolean => {
    const err = (about as { err?: unknown } | null)?.err;
    if (!(err instanceof CathedralError)) return false;
    const kind = `${String(message)} ${err.code}`;
    const at = now();
    if (at - (loggedAt.get(kind) ?? -Infinity) < REPEAT_MS) return true;
    loggedAt.set(kind, at);
    return false;
  };
  return {
    info: logger.info.bind(logger),
    error: (about: unknown, message?: string) => {
      if (!isRepeated(about, message)) logger.error(about, message);
    },
  };
}
