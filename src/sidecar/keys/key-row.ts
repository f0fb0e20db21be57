import { z } from 'zod';
import { schemaFault } from '../../../pipeline/artifacts/format/schema-fault.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { KEY_AREAS, TIER_NAMES } from '../../api/tiers.ts';
import type { KeyRecord } from './key-store.ts';

/**
 * Columns of `keys`, joined with `holders`, as `readKeyRow` takes them. Revoked and undelivered successors do not count, because the holder
 * cannot use them.
 */
export const KEY_COLUMNS = `
  keys.id, holder, holders.email, hash, prefix, tier, areas, name, affiliation, purpose, volume, basis,
  issued_at AS "issuedAt", expires_at AS "expiresAt", delivered_at AS "deliveredAt", revoked_at AS "revokedAt",
  revoked_for AS "revokedFor", replaces, notified_at AS "notifiedAt",
  (SELECT id FROM keys AS next
    WHERE next.replaces = keys.id AND next.revoked_at IS NULL AND next.delivered_at IS NOT NULL) AS "replacedBy"`;

const time = z.int().nonnegative();

const areas = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(KEY_AREAS)).min(1));

/** Another program may have written to the store: an unknown tier must not pass as a valid one. */
const KEY_ROW = z.strictObject({
  id: z.string(),
  holder: z.string(),
  email: z.string(),
  hash: z.string().length(64),
  prefix: z.string(),
  tier: z.enum(TIER_NAMES),
  areas,
  name: z.string(),
  affiliation: z.string(),
  purpose: z.string(),
  volume: z.string().nullable(),
  basis: z.string().nullable(),
  issuedAt: time,
  expiresAt: time,
  deliveredAt: time.nullable(),
  revokedAt: time.nullable(),
  revokedFor: z.string().nullable(),
  replaces: z.string().nullable(),
  replacedBy: z.string().nullable(),
  notifiedAt: time.nullable(),
});

/** Parses a row of the store; null if there is none. Throws keys_unreadable for an invalid row. */
export function readKeyRow(row: unknown, place: string): KeyRecord | null {
  if (row === undefined) return null;
  const parsed = KEY_ROW.safeParse(row);
  if (parsed.success) return parsed.data;
  throw new CathedralError('keys_unreadable', schemaFault(place, parsed.error, row));
}
