import { CathedralError, errorOf } from '../errors.ts';
import { formatVerifierKey, parseVerifierKey, type Verifier } from '../ledger/notes/note.ts';
import { verifyNote } from '../ledger/notes/verify-note.ts';
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
import { formatTimestamp } from '../words/moment.ts';
import { counted } from '../words/number.ts';
import { mismatchError } from './findings.ts';
import {
  type Origin,
  readPromised,
  readSmall,
  readUnless,
  type SmallFile,
  type Validator,
} from './origin.ts';

export const rollbackError = errorOf('mirror_rollback');
export const forkError = errorOf('mirror_forked');

/** `/latest.json`, which nobody vouches for until the manifest is verified. */
export interface Announced extends SmallFile {
  latest: Latest;
}

export interface SignedRelease {
  manifest: PublicManifest;
  latest: Latest;
  /** Of `manifest.json`, hex. */
  sha256: string;
  /** One of the trusted keys. */
  signedBy: Verifier;
  /** The keys that the manifest names. All of them signed it, so who trusts one learns the others. */
  keys: readonly Verifier[];
  /** These, and the keys that were trusted before. */
  known: readonly Verifier[];
  /** The three files that prove the release, by path. */
  proofs: ReadonlyMap<string, Uint8Array>;
}

/** What is expected of a place that has no `latest.json`. */
export const SOME_RELEASE = 'the file that names the current release';

/** Throws mirror_mismatch if there is no such file, release_invalid and mirror_unreachable. */
export async function readLatest(origin: Origin): Promise<Announced>;
export async function readLatest(
  origin: Origin,
  unless: Validator | undefined,
): Promise<Announced | 'unchanged'>;
export async function readLatest(origin: Origin, unless?: Validator): Promise<Announced | 'unchanged'> {
  const size = { most: LONGEST[LATEST_PATH] };
  const found = await readUnless(origin, LATEST_PATH, size, unless ? { unless } : {});
  if (found === 'unchanged') return found;
  const place = origin.placeOf(LATEST_PATH);
  if (!found) throw mismatchError(place, SOME_RELEASE, 'no such file');
  return { ...found, latest: parseLatest(textOf(found.bytes, place), place) };
}

/**
 * The manifest of that release, once a trusted key has signed its bytes; `trusted` null trusts the keys that it names.
 * Throws mirror_mismatch if the three files belong to different releases, ledger_signature, ledger_corrupt, release_invalid
 * and mirror_unreachable.
 */
export async function readSigned(
  origin: Origin,
  { latest, bytes }: Announced,
  trusted: readonly Verifier[] | null,
): Promise<SignedRelease> {
  const place = origin.placeOf(MANIFEST_PATH);
  const signaturePlace = origin.placeOf(SIGNATURE_PATH);
  const signature = (await readSmall(origin, SIGNATURE_PATH, { most: LONGEST[SIGNATURE_PATH] }))?.bytes;
  if (!signature)
    throw mismatchError(signaturePlace, 'the publisher’s signature of the release', 'no such file');
  const verified = (keys: readonly Verifier[]) => verifySignature(latest, signature, keys, signaturePlace);
  // A host that still has an older file is told from one that has another manifest.
  const trustedSigner = trusted && (await verified(trusted));
  const manifestBytes = await readPromised(origin, latest.manifest, `, as in ${LATEST_PATH}`);
  const parse = () => parsePublicManifest(textOf(manifestBytes, place), place);
  // With a trusted key given, nothing is parsed before its signature is verified.
  const signedBy = trustedSigner ?? (await verified(parse().keys.map(parseVerifierKey)));
  const manifest = parse();
  assertSame(latest, manifest, place);
  const keys = manifest.keys.map(parseVerifierKey);
  await assertEachSigned(keys, signature, signaturePlace);
  const proofs = new Map([
    [MANIFEST_PATH, manifestBytes],
    [SIGNATURE_PATH, signature],
    [LATEST_PATH, bytes],
  ]);
  return {
    manifest,
    latest,
    sha256: latest.manifest.sha256,
    signedBy,
    keys,
    known: [...keys, ...(trusted ?? [])],
    proofs,
  };
}

async function verifySignature(
  { version, manifest: { sha256, bytes } }: Latest,
  signature: Uint8Array,
  keys: readonly Verifier[],
  place: string,
): Promise<Verifier> {
  const { text, verifier } = await verifyNote(signature, keys, place);
  const signed = parseSignedText(text, place);
  if (signed.version === version && signed.sha256 === sha256 && signed.bytes === bytes) return verifier;
  const expected = `a signature of version ${version}, ${sha256}`;
  throw mismatchError(place, expected, `one of version ${signed.version}, ${signed.sha256}`);
}

/** `latest.json` must repeat the manifest. */
function assertSame(latest: Latest, manifest: PublicManifest, place: string): void {
  const { size, root_hash } = manifest.log;
  const signed: Record<string, unknown> = { ...manifest, log: { size, root_hash } };
  const { manifest: _, ...announced } = latest;
  for (const [member, value] of Object.entries(announced)) {
    // The schemas fix the order of members.
    const [expected, found] = [JSON.stringify(value), JSON.stringify(signed[member])];
    if (found !== expected)
      throw mismatchError(`${place}: ${member}`, `${expected}, as in ${LATEST_PATH}`, found ?? 'nothing');
  }
}

/** A key is learned only if it has signed: a key that was added by mistake could lock out every reader. */
async function assertEachSigned(
  keys: readonly Verifier[],
  signature: Uint8Array,
  place: string,
): Promise<void> {
  for (const key of keys)
    try {
      await verifyNote(signature, [key], place);
    } catch (cause) {
      const expected = `a signature by each key of the manifest, including ${formatVerifierKey(key)}`;
      const found = (cause as Error).message;
      throw new CathedralError('ledger_signature', { place, expected, found, cause });
    }
}

/** What a reader remembers of the last release that it accepted. */
export interface AcceptedRelease extends Pick<Latest, 'version' | 'log'> {
  /** Of its `manifest.json`, hex. */
  sha256: string;
}

/**
 * TUF's rule against rollback (theupdateframework.github.io, §5.3 to §5.6): a release never goes behind the last one accepted.
 * Throws mirror_rollback or mirror_forked.
 */
export function assertNoRollback(accepted: AcceptedRelease, next: Latest, place: string): void {
  const { version, log, sha256 } = accepted;
  if (next.version < version)
    throw rollbackError(place, `version ${version} or later`, `version ${next.version}`);
  if (next.version === version && next.manifest.sha256 !== sha256)
    throw forkError(place, `version ${version} with the manifest ${sha256}`, next.manifest.sha256);
  if (next.log.size < log.size)
    throw rollbackError(place, `a log of ${counted(log.size, 'event')} or more`, `${next.log.size}`);
  if (next.log.size === log.size && next.log.root_hash !== log.root_hash)
    throw forkError(place, `root ${log.root_hash} of ${counted(log.size, 'event')}`, next.log.root_hash);
}

/** TUF's rule against freezing a reader on an old release. Throws mirror_expired. `now`: ms since 1970. */
export function assertFresh({ expires, as_of }: PublicManifest, now: number, place: string): void {
  if (now <= Date.parse(expires)) return;
  const expected = `a release that is valid at ${formatTimestamp(now)}`;
  const found = `one of ${as_of}, valid until ${expires}`;
  throw new CathedralError('mirror_expired', { place, expected, found });
}
