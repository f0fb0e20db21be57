import { CathedralError } from '../errors.ts';
import { digestOf } from '../ledger/digest.ts';
import { formatVerifierKey, parseVerifierKey, type Verifier } from '../ledger/note.ts';
import { verifyNote } from '../ledger/verify-note.ts';
import {
  LATEST_PATH,
  type Latest,
  LONGEST,
  MANIFEST_PATH,
  type PublicManifest,
  parseLatest,
  parsePublicManifest,
  parseSignedText,
  SIGNATURE_PATH,
  textOf,
} from '../release/format/public-manifest.ts';
import { mismatch } from './mismatch.ts';
import type { Origin, Validator } from './origin/origin.ts';
import { readSmall, readUnless, type SmallFile } from './origin/read-small.ts';

/** What an origin says is its newest release; until its manifest is verified that is hearsay. */
export interface Announced extends SmallFile {
  latest: Latest;
}

export interface SignedRelease {
  manifest: PublicManifest;
  /** Of `manifest.json`, hex. */
  sha256: string;
  /** One of the keys that are trusted. */
  signedBy: Verifier;
  /** Each of which has signed: who trusts one of them learns the others. */
  keys: readonly Verifier[];
  /** Those, and the ones that were trusted before. */
  known: readonly Verifier[];
  /** The three files that prove it, byte for byte, by path. */
  proofs: ReadonlyMap<string, Uint8Array>;
}

/** `/latest.json`. Throws mirror_mismatch where there is none, release_invalid and mirror_unreachable. */
export async function readLatest(origin: Origin, unless?: Validator): Promise<Announced | 'unchanged'> {
  const size = { most: LONGEST[LATEST_PATH] };
  const found = await readUnless(origin, LATEST_PATH, size, unless);
  if (found === 'unchanged') return found;
  const place = origin.placeOf(LATEST_PATH);
  if (!found) throw mismatch(place, 'what says which release is the newest', 'no such file');
  return { ...found, latest: parseLatest(textOf(found.bytes, place), place) };
}

/**
 * The manifest of that release, once a trusted key has signed its bytes; `trusted` null takes those that the manifest names.
 * Throws mirror_mismatch where the three files are not of one release, ledger_signature, ledger_corrupt, release_invalid and
 * mirror_unreachable.
 */
export async function readSigned(
  origin: Origin,
  { latest, bytes }: Announced,
  trusted: readonly Verifier[] | null,
): Promise<SignedRelease> {
  const signature = await need(origin, SIGNATURE_PATH, { most: LONGEST[SIGNATURE_PATH] });
  const manifestBytes = await need(origin, MANIFEST_PATH, { exactly: latest.manifest.bytes });
  const place = origin.placeOf(MANIFEST_PATH);
  const found = await digestOf(manifestBytes);
  if (found !== latest.manifest.sha256)
    throw mismatch(place, `SHA-256 ${latest.manifest.sha256}, as in ${LATEST_PATH}`, found);
  const parse = () => parsePublicManifest(textOf(manifestBytes, place), place);
  // Nothing but a hash is computed of what a trusted key has not signed.
  const signedBy = await verifySignature(
    origin,
    latest,
    signature,
    trusted ?? parse().keys.map(parseVerifierKey),
  );
  const manifest = parse();
  assertSame(latest, manifest, place);
  const keys = manifest.keys.map(parseVerifierKey);
  await assertEachSigned(keys, signature, origin.placeOf(SIGNATURE_PATH));
  const proofs = new Map([
    [MANIFEST_PATH, manifestBytes],
    [SIGNATURE_PATH, signature],
    [LATEST_PATH, bytes],
  ]);
  return { manifest, sha256: found, signedBy, keys, known: [...keys, ...(trusted ?? [])], proofs };
}

async function need(
  origin: Origin,
  path: string,
  size: Parameters<typeof readSmall>[2],
): Promise<SmallFile['bytes']> {
  const found = await readSmall(origin, path, size);
  if (found) return found.bytes;
  throw mismatch(origin.placeOf(path), 'a file that proves the release', 'no such file');
}

async function verifySignature(
  origin: Origin,
  { version, manifest: { sha256: hash, bytes } }: Latest,
  signature: Uint8Array,
  keys: readonly Verifier[],
): Promise<Verifier> {
  const place = origin.placeOf(SIGNATURE_PATH);
  const { text, verifier } = await verifyNote(signature, keys, place);
  const signed = parseSignedText(text, place);
  if (signed.version !== version || signed.sha256 !== hash || signed.bytes !== bytes)
    throw mismatch(
      place,
      `a signature of version ${version}, ${hash}`,
      `one of version ${signed.version}, ${signed.sha256}`,
    );
  return verifier;
}

/** What `latest.json` says is what was signed. */
function assertSame(latest: Latest, manifest: PublicManifest, place: string): void {
  const { size, root_hash } = manifest.log;
  const signed: Record<string, unknown> = { ...manifest, log: { size, root_hash } };
  const { manifest: _, ...announced } = latest;
  for (const [member, value] of Object.entries(announced)) {
    // Both came out of schemas, which give members their order.
    const [expected, found] = [JSON.stringify(value), JSON.stringify(signed[member])];
    if (found !== expected)
      throw mismatch(`${place}: ${member}`, `${expected}, as in ${LATEST_PATH}`, found ?? 'nothing');
  }
}

/** A key is learned only where it has signed: one that a slip put there could lock every reader out. */
async function assertEachSigned(
  keys: readonly Verifier[],
  signature: Uint8Array,
  place: string,
): Promise<void> {
  for (const key of keys) {
    try {
      await verifyNote(signature, [key], place);
    } catch (cause) {
      const expected = `a signature by each key of the manifest, ${formatVerifierKey(key)} too`;
      throw new CathedralError('ledger_signature', {
        place,
        expected,
        found: (cause as Error).message,
        cause,
      });
    }
  }
}
