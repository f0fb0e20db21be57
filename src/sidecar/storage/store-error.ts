import { CathedralError, type ErrorCode, type Fault } from '../../../pipeline/errors.ts';

/** What an operator sees when the server's own data cannot be used. */
export const STORE_ERROR_CODES = {
  store_failed: { exit: 1, meaning: 'A database of the server cannot be opened, read or written.' },
  access_log_broken: { exit: 1, meaning: 'The access log is not the one that its head record speaks of.' },
} as const;

export type StoreErrorCode = keyof typeof STORE_ERROR_CODES;

/** The one place where these codes enter the common table of codes. */
export function storeError(code: StoreErrorCode, fault: Fault): CathedralError {
  return new CathedralError(code as ErrorCode, fault);
}

/** Runs work on the database at `place`; whatever SQLite or the disk refuses becomes store_failed. */
export function guardedStore<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw asStoreError(place, cause);
  }
}

export function asStoreError(place: string, cause: unknown): CathedralError {
  if (cause instanceof CathedralError) return cause;
  const found = cause instanceof Error ? cause.message : String(cause);
  return storeError('store_failed', { place, expected: 'a database that can be used', found, cause });
}
