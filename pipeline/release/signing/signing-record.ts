import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { parseJsonFile } from '../../artifacts/format/json.ts';
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
  snapshots: z.record(SnapshotId, Sha256),
  /** Snapshots that the operator gave up, with their hashes. They are not required and never published again. */
  lost: z.record(SnapshotId, Sha256),
});
export type Signed = z.infer<typeof Signed>;

const SigningRecord = z.strictObject({
  format: z.literal('cathedral-signed/1'),
  /** By address of the service. */
  services: z.record(z.string(), Signed),
  /** Verifier keys that were abandoned without vouching for a successor. */
  replaced: z.array(z.string()),
  /** Where several machines sign, each with a copy of the keys. By verifier key. */
  keys: z
    .strictObject({
      /** Those that signed last. Every publisher must have them. */
      current: z.array(z.string()),
      /** Those that no longer sign, after a rotation. */
      retired: z.array(z.string()),
    })
    .optional(),
});
export type SigningRecord = z.infer<typeof SigningRecord>;

export const NOTHING_SIGNED: SigningRecord = { format: 'cathedral-signed/1', services: {}, replaced: [] };

/** Throws config_invalid. */
export function parseSigningRecord(text: string, place: string): SigningRecord {
  return parseJsonFile(text, SigningRecord, place, 'config_invalid');
}

export function formatSigningRecord(record: SigningRecord): string {
  return `${JSON.stringify(SigningRecord.parse(record), null, 2)}\n`;
}

/** Where publishers record what they sign. */
export interface SigningRecords {
  /** For messages. */
  readonly place: string;
  /** Whether several machines sign under this record, each with a copy of the keys. */
  readonly isShared: boolean;
  /** Throws config_invalid. */
  read(): Promise<SigningRecord>;
  /**
   * Changes the record, one writer at a time. What it resolves to is kept: readers may see what follows from it. `why` tells others
   * what they wait for. Throws locked, config_invalid and publish_failed.
   */
  change<T>(why: string, decide: (record: SigningRecord) => Promise<RecordChange<T>>): Promise<T>;
  /** The name of an output folder in the record, the same for the same folder. */
  nameOf(out: string): Promise<string>;
  /** Whether nothing is published from the folder of this name any more. */
  isAbandoned(name: string): Promise<boolean>;
}

interface RecordChange<T> {
  /** Null: it stays as it is. */
  record: SigningRecord | null;
  result: T;
  /** Runs when the record is kept, before another writer. */
  afterwards?: () => Promise<void>;
}

/** By id, SHA-256 of its index. */
export type SnapshotHashes = Readonly<Record<string, string>>;
export type RecordedSnapshots = Readonly<Record<'snapshots' | 'lost', SnapshotHashes>>;

/**
 * Records which snapshots are listed, before anyone can read the list. Does nothing before the first release was signed for the
 * address. Throws what `change` throws.
 */
export async function recordSnapshots(
  { records, baseUrl }: { records: SigningRecords; baseUrl: string },
  { snapshots, lost }: RecordedSnapshots,
): Promise<void> {
  await records.change('listing', async (record) => {
    const signed = record.services[baseUrl];
    if (!signed || isDeepStrictEqual([signed.snapshots, signed.lost], [snapshots, lost]))
      return { record: null, result: undefined };
    const services = { ...record.services, [baseUrl]: { ...signed, snapshots, lost } };
    return { record: { ...record, services }, result: undefined };
  });
}
