import { type RandomBytes, randomBase62 } from './base62.ts';

/** Ids are no secrets: 71 bits, so that no two are the same. */
const ID_LENGTH = 12;

/** `k_…` for keys, `h_…` for holders, `v_…` for codes. */
export function newId(prefix: 'k' | 'h' | 'v', randomBytes: RandomBytes): string {
  return `${prefix}_${randomBase62(ID_LENGTH, randomBytes)}`;
}
