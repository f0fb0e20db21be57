import { createHash } from 'node:crypto';
import { CathedralError } from '../../../pipeline/errors.ts';
import { DAY_MS } from '../../api/tiers.ts';
import type { RandomBytes } from './base62.ts';
import { newId } from './base62.ts';
import { REQUEST_VERIFICATION_ARGUMENTS, readArguments, VERIFY_ARGUMENTS } from './key-arguments.ts';
import { formatCodeMail } from './key-mails.ts';
import { type Office, requireMailer } from './key-services.ts';
import type { Added, Tried } from './key-store.ts';

/** Crockford's: no I, L, O and U, which are read as something else. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 60 bits: even who steals the store cannot find a code from its hash before it ends. */
const CODE_LENGTH = 12;
const CODE_HOURS = 24;
const MAX_TRIES = 5;
/** In 24 hours: three for somebody whose mail is slow, and so few in all that nobody floods others through us. */
const QUOTA = { perAddress: 3, total: 200 } as const;

export interface Requested {
  email: string;
  /** ms since 1970 */
  expiresAt: number;
}

export interface Verified {
  email: string;
  verifiedAt: number;
}

/**
 * `keys request-verification`: sends a code to the address. Only the newest code of an address is good. Throws key_refused
 * over the quota, config_invalid without a mail server, and mail_failed, after which the code is forgotten.
 */
export async function requestVerification(args: unknown, office: Office): Promise<Requested> {
  const { email } = readArguments(REQUEST_VERIFICATION_ARGUMENTS, args);
  const mailer = requireMailer(office);
  const createdAt = office.now();
  const expiresAt = createdAt + CODE_HOURS * 3_600_000;
  const [id, code] = [newId('v', office.randomBytes), newCode(office.randomBytes)];
  const verification = { id, email, codeHash: hashCode(email, code), createdAt, expiresAt };
  const added = await office.store.addVerification(verification, { since: createdAt - DAY_MS, ...QUOTA });
  if (added !== 'added') throw overQuota(email, added);
  try {
    await mailer.send(formatCodeMail(email, code.match(/.{4}/g)!.join('-'), CODE_HOURS, office.baseUrl));
  } catch (error) {
    await office.store.withdrawVerification(id);
    throw error;
  }
  return { email, expiresAt };
}

/** `keys verify-email`. Throws key_refused, which says whether another try makes sense. */
export async function verifyEmail(
  args: unknown,
  { store, now }: Pick<Office, 'store' | 'now'>,
): Promise<Verified> {
  const { email, code } = readArguments(VERIFY_ARGUMENTS, args);
  const verifiedAt = now();
  const tried = await store.tryCode(email, hashCode(email, code), verifiedAt, MAX_TRIES);
  if (tried === 'verified') return { email, verifiedAt };
  throw new CathedralError('key_refused', {
    place: email,
    expected: 'the code that was sent last',
    found: FOUND[tried],
  });
}

const FOUND: Readonly<Record<Exclude<Tried, 'verified'>, string>> = {
  wrong: `another one; a code can be tried ${MAX_TRIES} times`,
  spent: `a code after ${MAX_TRIES} wrong ones: send a new one with keys request-verification`,
  none: 'an address without an open code: it was used, is older than a day, or was never sent',
};

function overQuota(email: string, added: Exclude<Added, 'added'>): Error {
  const { perAddress, total } = QUOTA;
  const [expected, found] = {
    address_quota: [`at most ${perAddress} codes to an address in 24 hours`, 'one more'],
    total_quota: [`at most ${total} codes to all addresses in 24 hours`, 'one more'],
  }[added];
  return new CathedralError('key_refused', { place: email, expected: expected!, found: found! });
}

function newCode(randomBytes: RandomBytes): string {
  // 256 is a multiple of 32, so each letter is as likely.
  return [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % 32]).join('');
}

/** With the address: a code is good for the one it was sent to alone. */
function hashCode(email: string, code: string): string {
  return createHash('sha256').update(`${email}\n${code}`).digest('hex');
}
