/** Ids are not secret. 71 bits make collisions negligible. */
const ID_LENGTH = 12;

/** `k_…` for keys, `h_…` for holders, `v_…` for codes. */
export function newId(prefix: 'k' | 'h' | 'v', randomBytes: RandomBytes): string {
  return `${prefix}_${randomBase62(ID_LENGTH, randomBytes)}`;
}

/** Returns `size` unguessable bytes. */
export type RandomBytes = (size: number) => Uint8Array;

/** In ASCII order, so that texts of equal length sort by value. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The largest multiple of 62 that fits into a byte. Using bytes above it would favour the first letters. */
const UNBIASED = 248;

/** `length` letters and digits, each of the 62 equally likely: 5.95 bits each. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    const usable = [...randomBytes(length)].filter((byte) => byte < UNBIASED);
    text += usable.map((byte) => ALPHABET[byte % 62]).join('');
  }
  return text.slice(0, length);
}

/** Formats an integer from 0 to 2^53 − 1 with leading zeros: `formatBase62(61, 3)` is `00z`. */
export function formatBase62(number: number, width: number): string {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text;
  return text.padStart(width, '0');
}
