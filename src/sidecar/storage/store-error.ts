import { CathedralError } from '../../../pipeline/errors.ts';

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
  return new CathedralError('store_failed', { place, expected: 'a database that can be used', found, cause });
}
