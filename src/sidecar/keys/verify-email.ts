import { createHash } from 'node:crypto';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { type KeyServices, refused, requireMailer } from './key-life.ts';
import { formatCodeMail } from './key-mails.ts';
import type { CodeResult } from './key-store.ts';
import { newId, type RandomBytes } from './key-text-and-hash.ts';

/** Crockford's base32: without I, L, O and U, which are easily misread. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 60 bits: even someone who steals the store cannot find a code from its hash before it expires. */
const CODE_LENGTH = 12;
const CODE_HOURS = 24;
const MAX_TRIES = 5;
/** Per 24 hours: three for slow mail, and a low total so that nobody can flood others through this service. */
const QUOTA = { perAddress: 3, total: 200 } as const;

/**
 * `keys request-verification`: sends a code to the address. Only the newest code of an address is valid. Throws key_refused
 * over the quota, config_invalid without a mail server, and mail_failed, after which the code is forgotten.
 */
export async function requestVerification({ email }: { email: string }, services: KeyServices) {
  const mailer = requireMailer(services);
  const created_at = services.now();
  const expires_at = created_at + CODE_HOURS * 3_600_000;
  const [id, code] = [newId('v', services.randomBytes), newCode(services.randomBytes)];
  const verification = { id, email, code_hash: hashCode(email, code), created_at, expires_at };
  const added = await services.store.addVerification(verification, { since: created_at - DAY_MS, ...QUOTA });
  if (added === 'address_quota')
    throw refused(email, `at most ${QUOTA.perAddress} codes to an address in 24 hours`, 'one more');
  if (added === 'total_quota')
    throw refused(email, `at most ${QUOTA.total} codes to all addresses in 24 hours`, 'one more');
  try {
    await mailer.send(formatCodeMail(email, code.match(/.{4}/g)!.join('-'), CODE_HOURS, services.baseUrl));
  } catch (error) {
    await services.store.withdrawVerification(id);
    throw error;
  }
  return { email, expires_at };
}

/** `keys verify-email`. Throws key_refused, which tells whether another attempt makes sense. */
export async function verifyEmail(
  { email, code }: { email: string; code: string },
  { store, now }: Pick<KeyServices, 'store' | 'now'>,
) {
  const verifiedAt = now();
  const tried = await store.tryCode(email, hashCode(email, code), verifiedAt, MAX_TRIES);
  if (tried === 'verified') return { email, verifiedAt };
  throw refused(email, 'the latest code sent', FOUND[tried]);
}

const FOUND: Readonly<Record<Exclude<CodeResult, 'verified'>, string>> = {
  wrong: `a different code; a code allows ${MAX_TRIES} attempts`,
  spent: `an attempt after ${MAX_TRIES} wrong codes: send a new code with keys request-verification`,
  none: 'an address without a pending code: it was used, is older than a day, or was never sent',
};

function newCode(randomBytes: RandomBytes): string {
  // 256 is a multiple of 32, so all letters are equally likely.
  return [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % 32]).join('');
}

/** Includes the address: a code is valid only for the address it was sent to. */
function hashCode(email: string, code: string): string {
  return createHash('sha256').update(`${email}\n${code}`).digest('hex');
}
