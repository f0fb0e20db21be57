import { CathedralError, errorOf } from '../../../pipeline/errors.ts';
import { DAY_MS } from '../../../pipeline/words/day.ts';
import { type KeyArea, OVERLAP_DAYS, TIERS, type Tier, VERIFICATION_VALID_DAYS } from '../../api/tiers.ts';
import { formatExpiryMail, formatKeyMail } from './key-mails.ts';
import type { KeyRecord, KeyStore, NewKey } from './key-store.ts';
import { createKey, hashKey, keyPrefix, newId, type RandomBytes } from './key-text-and-hash.ts';
import type { Mailer } from './mailer.ts';

export const refused = errorOf('key_refused');

/** The effects that issuing, rotating and announcing keys depend on. */
export interface KeyServices {
  store: KeyStore;
  /** Null if no mail server is configured. */
  mailer: Mailer | null;
  /** ms since 1970 */
  now: () => number;
  randomBytes: RandomBytes;
  /** The public address of the service, without a trailing slash; printed in mails. */
  baseUrl: string;
}

/** Throws config_invalid if there is no mailer. Call it before storing anything. `instead`: what the command can do without one. */
export function requireMailer({ mailer }: KeyServices, instead = ''): Mailer {
  if (mailer) return mailer;
  const expected = `a mail server (SMTP_URL) and a sender${instead}`;
  throw new CathedralError('config_invalid', { place: 'SMTP_URL', expected, found: 'none' });
}

/** `ending`: valid, but so is its successor. `undelivered`: stored but never activated. */
export type KeyStatus = 'active' | 'ending' | 'undelivered' | 'expired' | 'revoked';

/** The status at `now`, ms. authenticate() admits active and ending keys. */
export function keyStatus(key: KeyRecord, now: number): KeyStatus {
  if (key.revoked_at !== null) return 'revoked';
  if (now >= key.expires_at) return 'expired';
  if (key.delivered_at === null) return 'undelivered';
  return key.replaced_by === null ? 'active' : 'ending';
}

/** `keys list`: newest first, including expired and revoked keys; optionally limited to a tier, an area or an address. */
export async function listKeys(
  { tier, area, email }: { tier?: Tier | null; area?: KeyArea | null; email?: string | null },
  { store }: Pick<KeyServices, 'store'>,
): Promise<KeyRecord[]> {
  const keys = await store.keys();
  return keys.filter(
    (key) =>
      (!tier || key.tier === tier) && (!area || key.areas.includes(area)) && (!email || key.email === email),
  );
}

/** How long a key is valid, and how its holder gets it. Null: as its tier has it. */
interface Wanted {
  days?: number | null | undefined;
  deliver?: 'mail' | 'print' | null | undefined;
}

/** What the applicant may state according to SPEC "Authentication", and what the operator decides. */
export interface Application extends Wanted {
  tier: Tier;
  /** Null: all areas of the tier. */
  areas?: KeyArea[] | null;
  email: string;
  name: string;
  affiliation: string;
  purpose: string;
  volume?: string | null;
  basis?: string | null;
}

/**
 * `keys issue`: a new key for an applicant. Throws usage, key_refused (an address without the required verification),
 * config_invalid (no mail server) and mail_failed. After an error, no key is valid.
 */
export async function issueKey(application: Application, services: KeyServices): Promise<DeliveredKey> {
  const { days, deliver, tier, email, name, affiliation, purpose } = application;
  const { volume = null, basis = null } = application;
  const allowed = TIERS[tier].areas;
  const areas = application.areas ?? [...allowed];
  if (areas.some((area) => !allowed.includes(area))) {
    const expected = `areas of the tier ${tier}: ${allowed.join(', ')}`;
    throw new CathedralError('usage', { place: '--areas', expected, found: JSON.stringify(areas.join(',')) });
  }
  const holder = newId('h', services.randomBytes);
  const facts = { tier, email, name, affiliation, purpose, areas, volume, basis, holder, replaces: null };
  return deliverKey(facts, { days, deliver }, services);
}

/**
 * `keys rotate`: replaces a valid key, which keeps working for at most OVERLAP_DAYS. Holder, tier and areas stay the same, so
 * limits do not double. Throws as issueKey does, and key_refused for a key that is no longer valid or has a successor.
 */
export async function rotateKey(
  { id, days, deliver }: Wanted & { id: string },
  services: KeyServices,
): Promise<DeliveredKey> {
  const old = await services.store.keyById(id);
  const status = old === null ? 'unknown' : keyStatus(old, services.now());
  if (status === 'ending') throw refused(id, 'an active key', `one that ${old!.replaced_by} replaced`);
  if (old === null || status !== 'active') throw refused(id, 'an active key', `one that is ${status}`);
  const { holder, email, tier, areas, name, affiliation, purpose, volume, basis } = old;
  const facts = { holder, email, tier, areas, name, affiliation, purpose, volume, basis, replaces: id };
  return deliverKey(facts, { days, deliver }, services);
}

export interface DeliveredKey {
  record: KeyRecord;
  /** The key itself, to be printed once; null if it was sent by mail. It is stored nowhere else. */
  key: string | null;
}

type KeyFacts = Omit<NewKey, 'id' | 'hash' | 'prefix' | 'issued_at' | 'expires_at' | 'delivered_at'>;

/**
 * Stores a new key as undelivered, sends it to its holder, then activates it and lets the key that it replaces expire. A key is
 * therefore never valid before its holder has it. A failure at any step leaves a key that opens nothing: revoked if the cause
 * is known, otherwise listed as `undelivered`.
 */
async function deliverKey(facts: KeyFacts, wanted: Wanted, services: KeyServices): Promise<DeliveredKey> {
  const { store, now, randomBytes } = services;
  const rules = TIERS[facts.tier];
  const [days, deliver] = [wanted.days ?? rules.days, wanted.deliver ?? rules.delivery];
  await assertVerified(facts, services);
  if (days > rules.days) {
    const expected = `at most ${rules.days} for the tier ${facts.tier}`;
    throw new CathedralError('usage', { place: '--key-days', expected, found: `${days}` });
  }
  if (deliver === 'mail') requireMailer(services, ', or --deliver print');
  const key = createKey(facts.areas[0]!, randomBytes);
  const id = newId('k', randomBytes);
  const issued_at = now();
  const draft = { ...facts, id, issued_at, expires_at: issued_at + days * DAY_MS };
  const stored = { ...draft, hash: hashKey(key), prefix: keyPrefix(key), delivered_at: null };
  if (!(await store.addKey(stored)))
    throw refused(
      facts.replaces ?? 'key',
      'a key without a successor',
      'one that another command is rotating, or whose new key is undelivered: revoke the new key first',
    );
  if (deliver === 'mail') await mailKey(key, draft, services);
  const at = now();
  if (!(await store.activateKey(id, at, at + OVERLAP_DAYS * DAY_MS)))
    throw refused(
      id,
      'a new key that does not change before it is delivered',
      'one that was revoked in the meantime',
    );
  const record = (await store.keyById(id))!;
  return { record, key: deliver === 'print' ? key : null };
}

/** SPEC "Authentication" 5: the academic tier requires a verified address. Throws key_refused for any other. */
async function assertVerified({ tier, email }: KeyFacts, { store, now }: KeyServices): Promise<void> {
  if (TIERS[tier].proof !== 'verified_address') return;
  const verifiedAt = await store.verifiedAt(email);
  if (verifiedAt !== null && now() < verifiedAt + VERIFICATION_VALID_DAYS * DAY_MS) return;
  const day = verifiedAt !== null && new Date(verifiedAt).toISOString().slice(0, 10);
  const when = day ? `one verified ${day}` : 'one that was never verified';
  throw refused(
    email,
    `an address verified within the last ${VERIFICATION_VALID_DAYS} days, as the tier ${tier} requires`,
    `${when}: send a code with keys request-verification, then run keys verify-email`,
  );
}

/** After a time-out the mail may still arrive, so its key is revoked in either case. */
async function mailKey(
  key: string,
  draft: Parameters<typeof formatKeyMail>[1] & { id: string },
  services: KeyServices,
): Promise<void> {
  try {
    await requireMailer(services).send(formatKeyMail(key, draft, services.baseUrl));
  } catch (error) {
    await services.store.revokeKey(draft.id, services.now(), 'not delivered: the mail was not accepted');
    throw error;
  }
}

/**
 * `keys revoke`: by its id, or by its text if it was leaked. All processes refuse the key from the next request on. Other keys of the holder stay
 * valid. Throws key_refused for an unknown or already revoked key; an expired key can be revoked.
 */
export async function revokeKey(
  { id, leaked, reason }: { id?: string | null; leaked?: string | null; reason: string },
  { store, now }: Pick<KeyServices, 'store' | 'now'>,
): Promise<KeyRecord> {
  const key = leaked ? await store.keyByHash(hashKey(leaked)) : await store.keyById(id!);
  if (key === null) throw refused(id ?? '--leaked', 'an issued key', 'none');
  if (!(await store.revokeKey(key.id, now(), reason)))
    throw refused(key.id, 'a key that is not yet revoked', 'a revoked one');
  return (await store.keyById(key.id))!;
}

/**
 * `keys expiring --within DAYS [--notify]`: the valid keys that expire within so many days, soonest first. Notifies a holder once per key,
 * however often and in however many processes this runs, and never about a key with a successor. A failed mail does not delay the others;
 * the next call retries it.
 */
export async function expiringKeys(
  { within, notify }: { within: number; notify: boolean },
  services: KeyServices,
) {
  const { store } = services;
  const now = services.now();
  if (notify) requireMailer(services);
  const ending = async () =>
    (await store.keys())
      .filter((key) => key.expires_at <= now + within * DAY_MS)
      .filter((key) => ['active', 'ending'].includes(keyStatus(key, now)))
      .sort((a, b) => a.expires_at - b.expires_at);
  const before = await ending();
  const notified: string[] = [];
  const failures: { id: string; message: string }[] = [];
  for (const key of notify ? before : []) {
    const at = services.now();
    if (keyStatus(key, now) !== 'active' || !(await store.claimNotice(key.id, at))) continue;
    try {
      await requireMailer(services).send(formatExpiryMail(key, at, services.baseUrl));
      notified.push(key.id);
    } catch (error) {
      await store.releaseNotice(key.id);
      failures.push({ id: key.id, message: (error as Error).message });
    }
  }
  return { keys: notify ? await ending() : before, notified, failures };
}
