import { CathedralError } from '../../errors.ts';

/** The same failure of a run, before it published anything, with what to do about it; anything else as it is. */
export function withAdvice(cause: unknown, advice: string): unknown {
  if (!(cause instanceof CathedralError)) return cause;
  const { code, place, found } = cause;
  const expected = `${cause.expected} (nothing is published: ${advice})`;
  return new CathedralError(code, { place, expected, found, cause });
}
