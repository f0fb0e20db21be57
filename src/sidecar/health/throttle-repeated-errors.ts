import type { Logger } from 'pino';
import { CathedralError } from '../../../pipeline/errors.ts';

type FaultLog = Pick<Logger, 'error' | 'info'>;

const REPEAT_MS = 60_000;

/**
 * A log in which a fault that comes with every request, such as a store that cannot be read, stands once a minute: otherwise
 * whoever sends requests fills the disk, which may be the one that is full. `now`: ms.
 */
export function throttleRepeatedErrors(logger: FaultLog, now: () => number): FaultLog {
  const loggedAt = new Map<string, number>();
  const isRepeated = (about: unknown, message: unknown): boolean => {
    const err = (about as { err?: unknown } | null)?.err;
    if (!(err instanceof CathedralError)) return false;
    const fault = `${String(message)} ${err.code}`;
    const at = now();
    if (at - (loggedAt.get(fault) ?? -Infinity) < REPEAT_MS) return true;
    loggedAt.set(fault, at);
    return false;
  };
  return {
    info: logger.info.bind(logger),
    error: (about: unknown, message?: string) => {
      if (!isRepeated(about, message)) logger.error(about, message);
    },
  };
}
