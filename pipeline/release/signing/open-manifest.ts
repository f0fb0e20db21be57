import { CathedralError } from '../../errors.ts';
import { digestOf } from '../../ledger/notes/digest.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { verifyNote } from '../../ledger/notes/verify-note.ts';
import {
  MANIFEST_PATH,
  type PublicManifest,
  parsePublicManifest,
  parseSignedText,
  SIGNATURE_PATH,
  textOf,
} from '../format/public-manifest.ts';

/**
 * Verifies and parses the manifest of a release. Throws release_invalid if the bytes differ from the signed ones, ledger_signature
 * for a note without a signature by one of the keys, and ledger_corrupt for a text that is no note.
 */
export async function openManifest(
  manifest: Uint8Array<ArrayBuffer>,
  signature: Uint8Array,
  verifiers: readonly Verifier[],
): Promise<PublicManifest> {
  const { text } = await verifyNote(signature, verifiers, SIGNATURE_PATH);
  const signed = parseSignedText(text);
  const refuse = (expected: string, found: string) => {
    throw new CathedralError('release_invalid', { place: MANIFEST_PATH, expected, found });
  };
  if (manifest.length !== signed.bytes)
    refuse(`the ${signed.bytes} bytes that were signed`, `${manifest.length}`);
  const found = await digestOf(manifest);
  if (found !== signed.sha256) refuse(`SHA-256 ${signed.sha256}, which was signed`, found);
  const parsed = parsePublicManifest(textOf(manifest, MANIFEST_PATH));
  if (parsed.version !== signed.version)
    refuse(`version ${signed.version}, which was signed`, `${parsed.version}`);
  return parsed;
}
