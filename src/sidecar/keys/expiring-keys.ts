import { DAY_MS } from '../../../pipeline/words/day.ts';
import { EXPIRING_ARGUMENTS, readArguments } from './key-arguments.ts';
import { formatExpiryMail } from './key-mails.ts';
import { type KeyServices, requireMailer } from './key-services.ts';
import { keyStatus } from './key-status.ts';
import type { KeyRecord } from './key-store.ts';

export interface Expiring {
  /** Valid keys that expire within the given number of days, soonest first. */
  keys: KeyRecord[];
  /** Ids of the keys whose holders this call notified. */
  notified: string[];
  /** One line for each failed notice. The next call retries it. */
  failures: { id: string; message: string }[];
}

/**
 * `keys expiring --within DAYS [--notify]`. Notifies a holder once per key, however often and in however many processes this
 * runs, and never about a key with a successor. A failed mail does not delay the others.
 */
export async function expiringKeys(args: unknown, services: KeyServices): Promise<Expiring> {
  const { within, notify } = readArguments(EXPIRING_ARGUMENTS, args);
  const now = services.now();
  const expiring = { notified: [] as string[], failures: [] as Expiring['failures'] };
  if (notify) requireMailer(services);
  const before = await keysEnding(services, now, within);
  for (const key of notify ? before : []) {
    if (keyStatus(key, now) !== 'active') continue;
    await notifyHolder(key, services, expiring);
  }
  const keys = notify ? await keysEnding(services, now, within) : before;
  return { keys, ...expiring };
}

async function keysEnding({ store }: KeyServices, now: number, within: number): Promise<KeyRecord[]> {
  const good = (await store.keys()).filter((key) => ['active', 'ending'].includes(keyStatus(key, now)));
  return good
    .filter(({ expiresAt }) => expiresAt <= now + within * DAY_MS)
    .sort((a, b) => a.expiresAt - b.expiresAt);
}

async function notifyHolder(
  key: KeyRecord,
  services: KeyServices,
  { notified, failures }: Pick<Expiring, 'notified' | 'failures'>,
): Promise<void> {
  const { store, now, baseUrl } = services;
  const at = now();
  if (!(await store.claimNotice(key.id, at))) return;
  try {
    await requireMailer(services).send(formatExpiryMail(key, at, baseUrl));
    notified.push(key.id);
  } catch (error) {
    await store.releaseNotice(key.id);
    failures.push({ id: key.id, message: (error as Error).message });
  }
}
