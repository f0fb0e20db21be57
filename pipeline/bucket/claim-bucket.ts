import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { CathedralError } from '../errors.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Database } from '../postgres/database.ts';
import { sha256 } from '../release/format/manifest.ts';
import { SERVICE_KEY } from './layout.ts';
import { Pointed } from './pointer.ts';

const Claim = z.strictObject({
  /** Address of the service. */
  service: Pointed.shape.service,
  /** Name of its publisher's keys. */
  publisher: z.string().min(1).max(200),
});
export type Claim = z.infer<typeof Claim>;

const Service = z.strictObject({ format: z.literal('cathedral-bucket/1'), ...Claim.shape });

const LONGEST = 16 << 10;

/**
 * Makes the bucket this service's, or finds that it is. Where the store has no conditions, two services might both write their claim: each
 * reads it again, here and before every push, and two that share the database meet in its row. Throws release_refused for a bucket of
 * another service, and store_failed.
 */
export async function claimBucket(database: Database, objects: ObjectStore, claim: Claim): Promise<void> {
  if (objects.conditions === 'none') await claimRow(database, objects, claim);
  const place = `${objects.name}/${SERVICE_KEY}`;
  const found = await readClaim(objects, place);
  if (found) return assertOwn(claim, found, place);
  const bytes = Buffer.from(`${JSON.stringify({ format: 'cathedral-bucket/1', ...claim }, null, 1)}\n`);
  await objects.put(SERVICE_KEY, { bytes, sha256: sha256(bytes) }, 'absent');
  const standing = await readClaim(objects, place);
  if (standing) return assertOwn(claim, standing, place);
  throw new CathedralError('store_failed', {
    place,
    expected: 'what was just written',
    found: 'no such object',
  });
}

async function claimRow(database: Database, { name }: ObjectStore, claim: Claim): Promise<void> {
  const { service, publisher } = claim;
  const claimed =
    'INSERT INTO cathedral.buckets (bucket, service, publisher) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
  await database.query(claimed, [name, service, publisher]);
  const standing = 'SELECT service, publisher FROM cathedral.buckets WHERE bucket = $1';
  const { rows } = await database.query<Claim>(standing, [name]);
  assertOwn(claim, rows[0]!, `${database.name} cathedral.buckets ${name}`);
}

async function readClaim(objects: ObjectStore, place: string): Promise<Claim | null> {
  const found = await objects.read(SERVICE_KEY, LONGEST);
  if (!found) return null;
  const { service, publisher } = parseJsonFile(
    new TextDecoder().decode(found.content),
    Service,
    place,
    'release_refused',
  );
  return { service, publisher };
}

function assertOwn(own: Claim, found: Claim, place: string): void {
  if (own.service === found.service && own.publisher === found.publisher) return;
  throw new CathedralError('release_refused', {
    place,
    expected: `${nameOf(own)} (nothing is published: give each service a bucket or a prefix of its own)`,
    found: nameOf(found),
  });
}

function nameOf({ service, publisher }: Claim): string {
  return `${service}, published by ${publisher}`;
}
