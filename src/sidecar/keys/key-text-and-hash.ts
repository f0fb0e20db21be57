import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KEY_AREAS, type KeyArea } from '../../api/tiers.ts';

/** 178 bits cannot be guessed, so a fast hash protects the key as well as a slow one. */
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
/** Characters of the random part in the prefix: enough to tell a holder's keys apart, while 154 bits stay unknown. */
const SHOWN_LENGTH = 4;

const SHAPE = `cds_(?:${KEY_AREAS.join('|')})_[0-9A-Za-z]{${RANDOM_LENGTH}}_[0-9A-Za-z]{${CHECKSUM_LENGTH}}`;
const WHOLE = new RegExp(`^${SHAPE}$`);
const INSIDE = new RegExp(SHAPE);
/** Also matches truncated and damaged keys, because even a part of a key in the server log should be hidden. */
const ANYWHERE = /cds_[A-Za-z]{3,20}_[0-9A-Za-z]{5,}(?:_[0-9A-Za-z]*)?/g;

/**
 * `cds_economy_<30 base62>_<6 base62 of a CRC-32>`. The area is the key's first one: a hint for people and for secret scanners.
 * Only the store decides what a key opens.
 */
export function createKey(area: KeyArea, randomBytes: RandomBytes): string {
  const body = `cds_${area}_${randomBase62(RANDOM_LENGTH, randomBytes)}`;
  return `${body}_${checksum(body)}`;
}

/**
 * True for a text that may have been issued. Distinguishes mistyped keys from unknown ones without reading the store: CRC-32
 * detects every change within four consecutive bytes.
 */
export function isKey(text: string): boolean {
  if (!WHOLE.test(text)) return false;
  const end = text.lastIndexOf('_');
  return text.slice(end + 1) === checksum(text.slice(0, end));
}

/** True if `text` contains anything shaped like a key, whether its checksum is right or not, also one that a page broke by a soft hyphen. */
export function containsKey(text: string): boolean {
  return INSIDE.test(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}

/** SHA-256 in hex: the only stored form of a key. Look-ups use it, so no secrets are compared in variable time. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** `cds_economy_Ab3d`: how lists name a key. */
export function keyPrefix(key: string): string {
  return key.slice(0, key.indexOf('_', 4) + 1 + SHOWN_LENGTH);
}

/** Cuts every key in `text` to its prefix. For texts of others, which may quote what we sent. */
export function redactKeys(text: string): string {
  return text.replace(ANYWHERE, (key) => `${keyPrefix(key)}…`);
}

/** Covers the area, so that a key with a changed area fails the checksum. */
function checksum(body: string): string {
  return formatChecksum(crc32(body));
}

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

/** In base 62, with leading zeros: 61 is `00000z`. */
function formatChecksum(number: number): string {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text;
  return text.padStart(CHECKSUM_LENGTH, '0');
}
