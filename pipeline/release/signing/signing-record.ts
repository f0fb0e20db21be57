import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { CathedralError } from '../../errors.ts';
import { replaceFile } from '../disk/durable.ts';
import { withLock } from '../disk/lock.ts';
import type { Facts } from '../format/manifest.ts';
import { Latest, PublicManifest, ReleaseId, SnapshotId } from '../format/public-manifest.ts';

const Sha256 = Latest.shape.manifest.shape.sha256;

/** The newest release that was signed for one address. */
const Signed = z.strictObject({
  /** The folder that it was published in. */
  out: z.string().min(1),
  version: PublicManifest.shape.version,
  release: ReleaseId,
  /** Of its `manifest.json`. */
  sha256: Sha256,
  as_of: PublicManifest.shape.as_of,
  ledger: z.strictObject({ origin: z.string(), size: z.int().min(0), root: z.string() }),
  /** SHA-256 of each snapshot's index, by id, as the last signed list has it: no other bytes may ever be published there. */
  snapshots: z.record(SnapshotId, Sha256).default({}),
  /** Snapshots that the operator gave up, with the hash that they had: they are not looked for, and not published again. */
  lost: z.record(SnapshotId, Sha256).default({}),
});
export type Signed = z.infer<typeof Signed>;

const SigningRecord = z.strictObject({
  format: z.literal('cathedral-signed/1'),
  /** By the address of the service. */
  services: z.record(z.string(), Signed),
  /** Verifier keys that were given up without a successor that they vouch for. */
  replaced: z.array(z.string()),
});
export type SigningRecord = z.infer<typeof SigningRecord>;

/** A folder beside the keys, not in OUT: so it is still there when OUT is lost, or is set back. */
export function signingFolder(keyFile: string): string {
  return `${keyFile}.signed`;
}

export function signingRecordPath(keyFile: string): string {
  return join(signingFolder(keyFile), 'record.json');
}

/** Throws config_invalid. */
export async function readSigningRecord(keyFile: string): Promise<SigningRecord> {
  const place = signingRecordPath(keyFile);
  const text = await readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new CathedralError('config_invalid', {
      place,
      expected: 'a file that can be read',
      found: `${error.code}`,
      cause: error,
    });
  });
  if (text === null) return { format: 'cathedral-signed/1', services: {}, replaced: [] };
  return parseJsonFile(text, SigningRecord, place, 'config_invalid');
}

/** Throws publish_failed. */
export async function writeSigningRecord(keyFile: string, record: SigningRecord): Promise<void> {
  await replaceFile(signingRecordPath(keyFile), `${JSON.stringify(SigningRecord.parse(record), null, 2)}\n`);
}

/** By id, SHA-256 of its index. */
export type SnapshotHashes = Readonly<Record<string, string>>;
export type RecordedSnapshots = Readonly<Record<'snapshots' | 'lost', SnapshotHashes>>;

/**
 * Puts on record which snapshots are listed, before anybody can read the list. Of no effect before the first release was
 * signed for the address. To be called where the record is not locked. Throws config_invalid, locked and publish_failed.
 */
export async function recordSnapshots(
  { keyFile, baseUrl, waitMs }: { keyFile: string; baseUrl: string; waitMs: number },
  { snapshots, lost }: RecordedSnapshots,
): Promise<void> {
  const holder = `listing, process ${process.pid}`;
  await withLock(signingFolder(keyFile), { waitMs, holder }, async () => {
    const record = await readSigningRecord(keyFile);
    const signed = record.services[baseUrl];
    if (!signed || isDeepStrictEqual([signed.snapshots, signed.lost], [snapshots, lost])) return;
    const services = { ...record.services, [baseUrl]: { ...signed, snapshots, lost } };
    await writeSigningRecord(keyFile, { ...record, services });
  });
}

/** What a release was made from, or would be. */
export type Ledgered = Pick<Facts, 'timestamp'> & {
  ledger: Pick<Facts['ledger'], 'origin' | 'size' | 'root'>;
};

/**
 * A release may only add to the one before: readers have that, and take one that contradicts it for an attack. Throws
 * release_refused. `advice`: what to do, in a clause.
 */
export function assertExtendsLast(before: Ledgered, next: Ledgered, place: string, advice: string): void {
  const refuse = (expected: string, found: string) => {
    throw new CathedralError('release_refused', { place, expected: `${expected} (${advice})`, found });
  };
  const [old, now] = [before.ledger, next.ledger];
  if (old.origin !== now.origin) refuse(`the ledger ${old.origin}`, now.origin);
  if (now.size < old.size)
    refuse(`at least the ${old.size} events that were published`, `a ledger of ${now.size}`);
  if (now.size === old.size && now.root !== old.root)
    refuse(`root ${old.root} of the ${old.size} events that were published`, `root ${now.root}`);
  if (Date.parse(next.timestamp) < Date.parse(before.timestamp))
    refuse(`a last event of ${before.timestamp} or later`, next.timestamp);
}
