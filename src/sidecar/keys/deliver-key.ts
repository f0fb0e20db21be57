import { CathedralError } from '../../../pipeline/errors.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { OVERLAP_DAYS } from '../../api/tiers.ts';
import { formatKeyMail } from './key-mails.ts';
import { type KeyServices, requireMailer } from './key-services.ts';
import type { KeyRecord, NewKey } from './key-store.ts';
import { hashKey, keyPrefix } from './key-text.ts';

export interface DeliveredKey {
  record: KeyRecord;
  /** The key itself, to be printed once; null if it was sent by mail. It is stored nowhere else. */
  key: string | null;
}

export type Draft = Omit<NewKey, 'hash' | 'prefix' | 'deliveredAt'>;

/**
 * Stores a key as undelivered, sends it to its holder, then activates it and lets the key that it replaces expire. A key is
 * therefore never valid before its holder has it. A failure at any step leaves a key that opens nothing: revoked if the cause
 * is known, otherwise listed as `undelivered`.
 */
export async function deliverKey(
  key: string,
  draft: Draft,
  deliver: 'mail' | 'print',
  services: KeyServices,
): Promise<DeliveredKey> {
  const { store, now } = services;
  if (deliver === 'mail') requireMailer(services);
  const stored = { ...draft, hash: hashKey(key), prefix: keyPrefix(key), deliveredAt: null };
  if (!(await store.addKey(stored))) throw alreadyRotated(draft);
  if (deliver === 'mail') await mailKey(key, draft, services);
  const at = now();
  if (!(await store.activateKey(draft.id, at, at + OVERLAP_DAYS * DAY_MS))) throw revokedMeanwhile(draft);
  const record = (await store.keyById(draft.id))!;
  return { record, key: deliver === 'print' ? key : null };
}

/** After a time-out the mail may still arrive, so its key is revoked in either case. */
async function mailKey(key: string, draft: Draft, services: KeyServices): Promise<void> {
  try {
    await requireMailer(services).send(formatKeyMail(key, draft, services.baseUrl));
  } catch (error) {
    await services.store.revokeKey(draft.id, services.now(), 'not delivered: the mail was not accepted');
    throw error;
  }
}

function alreadyRotated({ replaces }: Draft): Error {
  const expected = 'a key without a successor';
  const found =
    'one that another command is rotating, or whose new key is undelivered: revoke the new key first';
  return new CathedralError('key_refused', { place: replaces ?? 'key', expected, found });
}

function revokedMeanwhile({ id }: Draft): Error {
  const expected = 'a new key that does not change before it is delivered';
  return new CathedralError('key_refused', {
    place: id,
    expected,
    found: 'one that was revoked in the meantime',
  });
}
