import { DAY_MS } from '../../api/tiers.ts';
import { EXPIRING_ARGUMENTS, readArguments } from './key-arguments.ts';
import { formatExpiryMail } from './key-mails.ts';
import { type Office, requireMailer } from './key-services.ts';
import { keyStatus } from './key-status.ts';
import type { KeyRecord } from './key-store.ts';

export interface Expiring {
  /** Good keys that end within the days asked for, the next to end first. */
  keys: KeyRecord[];
  /** Ids of those whose holders were told now. */
  notified: string[];
  /** What went wrong, one line each; those holders are told the next time. */
  failures: { id: string; message: string }[];
}

/**
 * `keys expiring --within DAYS [--notify]`. A holder is told of a key's end once, however often this runs and in how many
 * processes, and not at all where the key has a successor. One mail that fails does not hold up the others.
 */
export async function expiringKeys(args: unknown, office: Office): Promise<Expiring> {
  const { within, notify } = readArguments(EXPIRING_ARGUMENTS, args);
  const now = office.now();
  const expiring = { notified: [] as string[], failures: [] as Expiring['failures'] };
  if (notify) requireMailer(office);
  const before = await keysEnding(office, now, within);
  for (const key of notify ? before : []) {
    if (keyStatus(key, now) !== 'active') continue;
    await notifyHolder(key, office, expiring);
  }
  const keys = notify ? await keysEnding(office, now, within) : before;
  return { keys, ...expiring };
}

async function keysEnding({ store }: Office, now: number, within: number): Promise<KeyRecord[]> {
  const good = (await store.keys()).filter((key) => ['active', 'ending'].includes(keyStatus(key, now)));
  return good
    .filter(({ expiresAt }) => expiresAt <= now + within * DAY_MS)
    .sort((a, b) => a.expiresAt - b.expiresAt);
}

async function notifyHolder(
  key: KeyRecord,
  office: Office,
  { notified, failures }: Pick<Expiring, 'notified' | 'failures'>,
): Promise<void> {
  const { store, now, baseUrl } = office;
  const at = now();
  if (!(await store.claimNotice(key.id, at))) return;
  try {
    await requireMailer(office).send(formatExpiryMail(key, at, baseUrl));
    notified.push(key.id);
  } catch (error) {
    await store.releaseNotice(key.id);
    failures.push({ id: key.id, message: (error as Error).message });
  }
}
