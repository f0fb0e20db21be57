import { z } from 'zod';
import { schemaFault } from '../../../pipeline/artifacts/format/schema-fault.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { KEY_AREAS, TIER_NAMES } from '../../api/tiers.ts';
import type { KeyRecord } from './key-store.ts';

const time = z.int().nonnegative();

const areas = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(KEY_AREAS)).min(1));

/** Another program may have written into the file: a tier that nobody knows must not pass as one. */
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

/** A row of the store as a record, null for none. Throws keys_unreadable where the row is not one. */
export function readKeyRow(row: unknown, place: string): KeyRecord | null {
  if (row === undefined) return null;
  const parsed = KEY_ROW.safeParse(row);
  if (parsed.success) return parsed.data;
  throw new CathedralError('keys_unreadable', schemaFault(place, parsed.error, row));
}
