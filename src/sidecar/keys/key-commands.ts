import { randomBytes } from 'node:crypto';
import type { Config } from '../../../pipeline/config/settings.ts';
import { storeFiles } from '../../../pipeline/config/store-place.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { withDatabase } from '../../../pipeline/postgres/with-database.ts';
import {
  type DeliveredKey,
  expiringKeys,
  issueKey,
  type KeyServices,
  keyStatus,
  listKeys,
  revokeKey,
  rotateKey,
} from './key-life.ts';
import { type KeyRecord, type KeyStore, keyStoreIn, openKeyStore } from './key-store.ts';
import { createMailer, type Mailer } from './mailer.ts';
import { requestVerification, verifyEmail } from './verify-email.ts';

/** What a command of the keys found out: for programs and for people. */
interface Answer {
  facts: unknown;
  lines: string[];
  status?: 0 | 1;
}

/** One of the functions about keys. */
type Work<Args, Found> = (args: Args, services: KeyServices) => Promise<Found>;
/** Carries out the work with the store that the settings name. */
type KeyCommand<Args> = (args: Args & KeyConfig, now: () => number) => Promise<Answer>;
type KeyConfig = Pick<Config, 'store' | 'smtpUrl' | 'mailFrom' | 'baseUrl'>;

/** `isFirst`: before it there may be no store. */
function keyCommand<Args, Found>(
  work: Work<Args, Found>,
  describe: (found: Found, services: KeyServices) => Answer,
  isFirst = false,
): KeyCommand<Args> {
  return (given, clock) => {
    const { smtpUrl, mailFrom, baseUrl } = given;
    const mailer = smtpUrl === null ? null : openMailer(smtpUrl, mailFrom);
    return withKeys(given, { now: clock, command: 'keys', mustExist: !isFirst }, async (store, now) => {
      const services = { store, mailer, now, randomBytes, baseUrl };
      return describe(await work(given, services), services);
    });
  };
}

/** Each throws config_invalid, keys_unreadable, store_failed and what its work throws. */
export const KEY_COMMANDS = {
  issue: keyCommand(issueKey, delivered, true),
  rotate: keyCommand(rotateKey, delivered),
  list: keyCommand(listKeys, (keys, { now }) => ({
    facts: keys.map((key) => describeKey(key, now())),
    lines: formatKeyTable(keys, now()),
  })),
  revoke: keyCommand(revokeKey, (key, { now }) => ({
    facts: describeKey(key, now()),
    lines: [`${key.id} is revoked.`],
  })),
  requestVerification: keyCommand(
    requestVerification,
    ({ email, expires_at: end }) => {
      const expires_at = formatTime(end);
      const lines = [`A code was sent to ${email}; it expires at ${expires_at}.`];
      return { facts: { email, expires_at }, lines };
    },
    true,
  ),
  verifyEmail: keyCommand(verifyEmail, ({ email, verifiedAt }) => ({
    facts: { email, verified_at: formatTime(verifiedAt) },
    lines: [`${email} is verified.`],
  })),
  expiring: keyCommand(expiringKeys, ({ keys, notified, failures }, { now }) => ({
    facts: { keys: keys.map((key) => describeKey(key, now())), notified, failures },
    lines: [
      ...formatKeyTable(keys, now()),
      ...notified.map((id) => `${id}: holder told`),
      ...failures.map(({ id, message }) => `${id}: holder not notified: ${message}`),
    ],
    status: failures.length > 0 ? 1 : 0,
  })),
} as const;

function openMailer(url: string, from: string | null): Mailer {
  if (from !== null) return createMailer({ url, from });
  const expected = 'the sender of mails, which SMTP_URL needs';
  throw new CathedralError('config_invalid', { place: 'CATHEDRAL_MAIL_FROM', expected, found: 'no value' });
}

/** The only place that shows a key: to the operator who issued it, once. `key` is null if it was sent by mail. */
function delivered({ record, key }: DeliveredKey, { now }: KeyServices): Answer {
  const { id, email, tier, areas, expires_at } = record;
  const about = `${id} for ${email}: ${areas.join(', ')}, tier ${tier}, until ${formatTime(expires_at)}`;
  const sent = ['The key was sent by mail.'];
  const shown = ['', `${key}`, '', 'This key is shown only once. Send it over a secure channel.'];
  const lines = [about, ...(key === null ? sent : shown)];
  return { facts: { key, ...describeKey(record, now()) }, lines };
}

/** The members of a key that may be shown, with its status at `now`, ms. Excludes the hash; the key itself is unknown. */
export function describeKey(key: KeyRecord, now: number) {
  const { id, prefix, tier, areas, holder, email, name, affiliation, purpose, volume, basis } = key;
  const { revoked_for, replaces, replaced_by } = key;
  return {
    ...{ id, prefix, status: keyStatus(key, now), tier, areas, holder, email },
    ...{ name, affiliation, purpose, volume, basis },
    issued_at: formatTime(key.issued_at),
    expires_at: formatTime(key.expires_at),
    delivered_at: formatTime(key.delivered_at),
    revoked_at: formatTime(key.revoked_at),
    ...{ revoked_for, replaces, replaced_by },
    notified_at: formatTime(key.notified_at),
  };
}

const COLUMNS: Readonly<Record<string, (key: KeyRecord, now: number) => string>> = {
  ID: ({ id }) => id,
  KEY: ({ prefix }) => `${prefix}…`,
  HOLDER: ({ holder }) => holder,
  'E-MAIL': ({ email }) => email,
  TIER: ({ tier }) => tier,
  AREAS: ({ areas }) => areas.join(','),
  ISSUED: ({ issued_at }) => formatTime(issued_at)!.slice(0, 10),
  ENDS: ({ expires_at }) => formatTime(expires_at)!.slice(0, 10),
  STATUS: (key, now) => keyStatus(key, now),
};

/** For a terminal: a header line and one line per key, or `No keys.`. Shows the status at `now`, ms. */
export function formatKeyTable(keys: readonly KeyRecord[], now: number): string[] {
  if (keys.length === 0) return ['No keys.'];
  const rows = [
    Object.keys(COLUMNS),
    ...keys.map((key) => Object.values(COLUMNS).map((cell) => cell(key, now))),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

function formatTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/**
 * Runs `work` with the API keys that the settings name, and with the time by which they expire: that of the database that machines
 * share. `mustExist`: no file is created.
 */
export async function withKeys<T>(
  { store }: Pick<Config, 'store'>,
  { now, command, mustExist }: { now: () => number; command: string; mustExist: boolean },
  work: (store: KeyStore, now: () => number) => Promise<T>,
): Promise<T> {
  return withDatabase(store, command, async (database) => {
    const opened = database
      ? keyStoreIn(database)
      : await openKeyStore(storeFiles(store).keys, { mustExist });
    try {
      return await work(opened, database ? () => now() + database.clock() : now);
    } finally {
      await opened.close();
    }
  });
}
