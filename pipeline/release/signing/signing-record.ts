import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { replaceFile } from '../../disk/durable.ts';
import { withLock } from '../../disk/lock.ts';
import { CathedralError } from '../../errors.ts';
import type { Facts } from '../format/manifest.ts';
import { Latest, PublicManifest, ReleaseId, SnapshotId } from '../format/public-manifest.ts';

const Sha256 = Latest.shape.manifest.shape.sha256;

/** The last release that was signed for an address. */
const Signed = z.strictObject({
  /** The output folder. */
  out: z.string().min(1),
  version: PublicManifest.shape.version,
  release: ReleaseId,
  /** Of its `manifest.json`. */
  sha256: Sha256,
  as_of: PublicManifest.shape.as_of,
  ledger: z.strictObject({ origin: z.string(), size: z.int().min(0), root: z.string() }),
  /** SHA-256 of each snapshot's index in the last signed list, by id. No other bytes may ever be published there. */
  snapshots: z.record(SnapshotId, Sha256).default({}),
  /** Snapshots that the operator gave up, with their hashes. They are not required and never published again. */
  lost: z.record(SnapshotId, Sha256).default({}),
});
export type Signed = z.infer<typeof Signed>;

const SigningRecord = z.strictObject({
  format: z.literal('cathedral-signed/1'),
  /** By address of the service. */
  services: z.record(z.string(), Signed),
  /** Verifier keys that were abandoned without vouching for a successor. */
  replaced: z.array(z.string()),
});
export type SigningRecord = z.infer<typeof SigningRecord>;

/** A folder beside the keys rather than in OUT, so it survives when OUT is lost or restored from an old back-up. */
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
 * Records which snapshots are listed, before anyone can read the list. Does nothing before the first release was signed for the
 * address. Takes the lock of the record. Throws config_invalid, locked and publish_failed.
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

/** The part of the ledger that a release is made from. */
export type Ledgered = Pick<Facts, 'timestamp'> & {
  ledger: Pick<Facts['ledger'], 'origin' | 'size' | 'root'>;
};

/**
 * A release may only extend the previous one: readers have that and treat a contradiction as an attack. Throws release_refused.
 * `advice`: what to do, as a clause.
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
