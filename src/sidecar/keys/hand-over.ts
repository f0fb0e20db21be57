import { CathedralError } from '../../../pipeline/errors.ts';
import { DAY_MS, OVERLAP_DAYS } from '../../api/tiers.ts';
import { formatKeyMail } from './key-mails.ts';
import { type Office, requireMailer } from './key-services.ts';
import type { KeyRecord, NewKey } from './key-store.ts';
import { hashKey, keyPrefix } from './key-text.ts';

export interface HandedOver {
  record: KeyRecord;
  /** The key itself, to be printed once; null where it went by mail. It is nowhere else. */
  key: string | null;
}

export type Draft = Omit<NewKey, 'hash' | 'prefix' | 'deliveredAt'>;

/**
 * Stores a key as not in force, brings it to its holder, then puts it in force and lets the one that it replaces end. So there
 * is never a key in force that its holder may not have, and a failure at any point leaves one that opens nothing: revoked
 * where we could say why, else `undelivered` in the list.
 */
export async function handOver(
  key: string,
  draft: Draft,
  deliver: 'mail' | 'print',
  office: Office,
): Promise<HandedOver> {
  const { store, now } = office;
  if (deliver === 'mail') requireMailer(office);
  const stored = { ...draft, hash: hashKey(key), prefix: keyPrefix(key), deliveredAt: null };
  if (!(await store.addKey(stored))) throw alreadyRotated(draft);
  if (deliver === 'mail') await mailKey(key, draft, office);
  const at = now();
  if (!(await store.deliverKey(draft.id, at, at + OVERLAP_DAYS * DAY_MS))) throw revokedMeanwhile(draft);
  const record = (await store.keyById(draft.id))!;
  return { record, key: deliver === 'print' ? key : null };
}

/** A time-out leaves open whether the mail arrives; the key in it is revoked either way. */
async function mailKey(key: string, draft: Draft, office: Office): Promise<void> {
  try {
    await requireMailer(office).send(formatKeyMail(key, draft, office.baseUrl));
  } catch (error) {
    await office.store.revokeKey(draft.id, office.now(), 'not delivered: the mail was not accepted');
    throw error;
  }
}

function alreadyRotated({ replaces }: Draft): Error {
  const expected = 'a key without a successor';
  const found =
    'one that is being rotated by somebody else, or whose new key is undelivered: revoke that first';
  return new CathedralError('key_refused', { place: replaces ?? 'key', expected, found });
}

function revokedMeanwhile({ id }: Draft): Error {
  const expected = 'a new key that nobody touches before it is delivered';
  return new CathedralError('key_refused', { place: id, expected, found: 'one that was revoked meanwhile' });
}
