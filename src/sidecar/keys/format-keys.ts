import type { DeliveredKey } from './deliver-key.ts';
import type { Expiring } from './expiring-keys.ts';
import { keyStatus } from './key-status.ts';
import type { KeyRecord } from './key-store.ts';

/** The members of a key that may be shown. Excludes the hash; the key itself is unknown. */
function describeKey(key: KeyRecord, now: number) {
  return {
    id: key.id,
    prefix: key.prefix,
    status: keyStatus(key, now),
    tier: key.tier,
    areas: key.areas,
    holder: key.holder,
    email: key.email,
    name: key.name,
    affiliation: key.affiliation,
    purpose: key.purpose,
    volume: key.volume,
    basis: key.basis,
    issued_at: formatTime(key.issuedAt),
    expires_at: formatTime(key.expiresAt),
    delivered_at: formatTime(key.deliveredAt),
    revoked_at: formatTime(key.revokedAt),
    revoked_for: key.revokedFor,
    replaces: key.replaces,
    replaced_by: key.replacedBy,
    notified_at: formatTime(key.notifiedAt),
  };
}

const COLUMNS: Readonly<Record<string, (key: KeyRecord, now: number) => string>> = {
  ID: ({ id }) => id,
  KEY: ({ prefix }) => `${prefix}…`,
  HOLDER: ({ holder }) => holder,
  'E-MAIL': ({ email }) => email,
  TIER: ({ tier }) => tier,
  AREAS: ({ areas }) => areas.join(','),
  ISSUED: ({ issuedAt }) => formatTime(issuedAt)!.slice(0, 10),
  ENDS: ({ expiresAt }) => formatTime(expiresAt)!.slice(0, 10),
  STATUS: (key, now) => keyStatus(key, now),
};

/** For a terminal: a header line and one line per key, or `No keys.`. Shows the status at `now`, ms. */
export function formatKeyTable(keys: readonly KeyRecord[], now: number): string {
  if (keys.length === 0) return 'No keys.\n';
  const rows = [
    Object.keys(COLUMNS),
    ...keys.map((key) => Object.values(COLUMNS).map((cell) => cell(key, now))),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** For programs: an array in the given order. */
export function formatKeysJson(keys: readonly KeyRecord[], now: number): string {
  return formatJson(keys.map((key) => describeKey(key, now)));
}

/** The only place that shows a key: to the operator who issued it, once, if it was not sent by mail. */
export function formatDeliveredKey({ record, key }: DeliveredKey): string {
  const { id, email, tier, areas, expiresAt } = record;
  const facts = `${id} for ${email}: ${areas.join(', ')}, tier ${tier}, until ${formatTime(expiresAt)}`;
  if (key === null) return `${facts}\nThe key was sent by mail.\n`;
  return `${facts}\n\n${key}\n\nThis key is shown only once. Send it over a secure channel.\n`;
}

/** `key` is null if it was sent by mail. */
export function formatDeliveredKeyJson({ record, key }: DeliveredKey, now: number): string {
  return formatJson({ key, ...describeKey(record, now) });
}

/** The table, and the outcome of the notices. */
export function formatExpiring({ keys, notified, failures }: Expiring, now: number): string {
  const told = notified.map((id) => `${id}: holder told\n`);
  const failed = failures.map(({ id, message }) => `${id}: holder not notified: ${message}\n`);
  return [formatKeyTable(keys, now), ...told, ...failed].join('');
}

export function formatExpiringJson({ keys, notified, failures }: Expiring, now: number): string {
  return formatJson({ keys: keys.map((key) => describeKey(key, now)), notified, failures });
}

function formatJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function formatTime(ms: number): string;
function formatTime(ms: number | null): string | null;
function formatTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
