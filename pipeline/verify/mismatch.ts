import { CathedralError } from '../errors.ts';

/** The error for a file that is not the one that was promised. */
export function mismatch(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('mirror_mismatch', { place, expected, found });
}
