import { CathedralError } from '../errors.ts';
import { parseVerifierKey, type Verifier } from '../ledger/note.ts';
import {
  LONGEST,
  MANIFEST_PATH,
  type PublicManifest,
  parsePublicManifest,
  SIGNATURE_PATH,
  textOf,
} from '../release/format/public-manifest.ts';
import type { Snapshot } from '../release/format/snapshot-index.ts';
import { openManifest } from '../release/signing/open-manifest.ts';
import { mismatch } from './mismatch.ts';
import type { Stored } from './snapshot-list.ts';

/**
 * Who vouches for a snapshot: a key that is known now; only one that its own manifest names, which may have been retired
 * since; or nobody, as before releases were signed.
 */
export type Voucher = 'known' | 'of its time' | 'nobody';

/**
 * Holds a snapshot to the signed manifest that it has of its release: the same place in the log, and each file with the same
 * hash. `read` gives the bytes of one of its files. Throws mirror_mismatch, release_invalid, ledger_corrupt and
 * ledger_signature.
 */
export async function assertSigned(
  snapshot: Snapshot,
  stored: readonly Stored[],
  {
    keys,
    read,
    place,
  }: { keys: readonly Verifier[]; read: (file: Stored) => Promise<Uint8Array<ArrayBuffer>>; place: string },
): Promise<Voucher> {
  const [manifestFile, signatureFile] = [MANIFEST_PATH, SIGNATURE_PATH].map((path) =>
    stored.find((file) => file.path === path),
  );
  if (!manifestFile || !signatureFile) return 'nobody';
  for (const [file, path] of [
    [manifestFile, MANIFEST_PATH],
    [signatureFile, SIGNATURE_PATH],
  ] as const)
    if (file.bytes > LONGEST[path])
      throw mismatch(`${place}: ${path}`, `at most ${LONGEST[path]} bytes`, `${file.bytes}`);
  const [bytes, signature] = [await read(manifestFile), await read(signatureFile)];
  const { manifest, voucher } = await open(bytes, signature, keys, place);
  const { size, root_hash } = manifest.log;
  const { log } = snapshot;
  if (manifest.release !== snapshot.release || size !== log.size || root_hash !== log.root_hash)
    throw mismatch(
      place,
      `${manifest.release}, ${size} events, ${root_hash}, as it is signed`,
      `${snapshot.release}, ${log.size}, ${log.root_hash}`,
    );
  const signed = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
  for (const file of snapshot.files) {
    if (file === manifestFile || file === signatureFile || signed.get(file.path) === file.sha256) continue;
    const expected = `SHA-256 ${signed.get(file.path) ?? 'of no file'}, as it is signed`;
    throw mismatch(`${place}: ${file.path}`, expected, file.sha256);
  }
  return voucher;
}

async function open(
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array,
  keys: readonly Verifier[],
  place: string,
): Promise<{ manifest: PublicManifest; voucher: Voucher }> {
  try {
    return { manifest: await openManifest(bytes, signature, keys), voucher: 'known' };
  } catch (error) {
    if (!(error instanceof CathedralError && error.code === 'ledger_signature')) throw error;
    const own = parsePublicManifest(textOf(bytes, place), place).keys.map(parseVerifierKey);
    return { manifest: await openManifest(bytes, signature, own), voucher: 'of its time' };
  }
}
