import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { CathedralError } from '../errors.ts';
import { replaceFile } from './durable.ts';
import type { Facts } from './manifest.ts';
import { Latest, PublicManifest, ReleaseId } from './public-manifest.ts';

/** The newest release that was signed for one address. */
const Signed = z.strictObject({
  /** The folder that it was published in. */
  out: z.string().min(1),
  version: PublicManifest.shape.version,
  release: ReleaseId,
  /** Of its `manifest.json`. */
  sha256: Latest.shape.manifest.shape.sha256,
  as_of: PublicManifest.shape.as_of,
  ledger: z.strictObject({ origin: z.string(), size: z.int().min(0), root: z.string() }),
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

type Ledgered = Pick<Facts, 'timestamp'> & { ledger: Pick<Facts['ledger'], 'origin' | 'size' | 'root'> };

/**
 * A release may only add to the one before: readers have that, and take one that contradicts it for an attack. Throws
 * release_refused. `advice`: what to do, in a clause.
 */
export function assertOnlyAdds(before: Ledgered, next: Ledgered, place: string, advice: string): void {
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
