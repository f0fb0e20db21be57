import { CathedralError } from '../../errors.ts';

/** Throws release_invalid for what is not UTF-8. */
export function textOf(bytes: Uint8Array, place: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CathedralError('release_invalid', { place, expected: 'UTF-8', found: 'other bytes', cause });
  }
}
