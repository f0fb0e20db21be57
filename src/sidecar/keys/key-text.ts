import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KEY_AREAS, type KeyArea } from '../../api/tiers.ts';
import { formatBase62, type RandomBytes, randomBase62 } from './base62.ts';

/** 178 bits: nothing that could be guessed, so a fast hash keeps it as well as a slow one. */
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
/** Of the random part: enough to tell a holder's keys apart, and it leaves 154 bits unknown. */
const SHOWN_LENGTH = 4;

const SHAPE = `cds_(?:${KEY_AREAS.join('|')})_[0-9A-Za-z]{${RANDOM_LENGTH}}_[0-9A-Za-z]{${CHECKSUM_LENGTH}}`;
const WHOLE = new RegExp(`^${SHAPE}$`);
const INSIDE = new RegExp(SHAPE);
/** Cut short or with letters lost, too: what is left of a key in a log is still worth hiding. */
const ANYWHERE = /cds_[A-Za-z]{3,20}_[0-9A-Za-z]{5,}(?:_[0-9A-Za-z]*)?/g;

/**
 * `cds_economy_<30 base62>_<6 base62 of a CRC-32>`. The area is the key's first, a hint for people and for scanners that
 * look for leaked secrets; what a key opens is in the store alone.
 */
export function createKey(area: KeyArea, randomBytes: RandomBytes): string {
  const body = `cds_${area}_${randomBase62(RANDOM_LENGTH, randomBytes)}`;
  return `${body}_${checksum(body)}`;
}

/**
 * True for what may have been issued. A mistyped key is told from an unknown one without a look in the store: CRC-32 finds
 * every change within four bytes in a row.
 */
export function isKey(text: string): boolean {
  if (!WHOLE.test(text)) return false;
  const end = text.lastIndexOf('_');
  return text.slice(end + 1) === checksum(text.slice(0, end));
}

/** True where a key of the right shape stands anywhere in `text`, its checksum right or not. */
export function containsKey(text: string): boolean {
  return INSIDE.test(text);
}

/** SHA-256 in hex: all of a key that is ever kept, and what it is looked up by, so no comparison of secrets takes time. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** `cds_economy_Ab3d`: how lists name a key. */
export function keyPrefix(key: string): string {
  return key.slice(0, key.indexOf('_', 4) + 1 + SHOWN_LENGTH);
}

/** `text` with every key in it cut to its prefix: for what others say, which may repeat what we sent. */
export function redactKeys(text: string): string {
  return text.replace(ANYWHERE, (key) => `${keyPrefix(key)}…`);
}

/** Over the area too, so that a key with another area's name is a mistyped one. */
function checksum(body: string): string {
  return formatBase62(crc32(body), CHECKSUM_LENGTH);
}
