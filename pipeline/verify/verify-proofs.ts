import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { parseCheckpoint } from '../ledger/checkpoint.ts';
import { parseVerifierKey, type Verifier } from '../ledger/note.ts';
import { openNote } from '../ledger/open-note.ts';
import type { Manifest } from '../release/format/manifest.ts';
import { statementsOf } from '../release/format/proof-files.ts';
import {
  expiryOf,
  LATEST_PATH,
  MANIFEST_PATH,
  PROOF_PATHS,
  type PublicManifest,
  SIGNATURE_PATH,
} from '../release/format/public-manifest.ts';
import { openManifest } from '../release/signing/open-manifest.ts';
import type { Problem } from '../release/staging/verify-release.ts';

export interface ProofKeys {
  /** Of the publisher; null: those that the release itself names, which proves that it is whole, not whose it is. */
  publisher: readonly Verifier[] | null;
  /** Of the ledger; null: its signature is not looked at. */
  ledger: readonly Verifier[] | null;
}

/**
 * Whether what proves a release says what the release's own manifest says, and is signed. By place; empty where all is
 * well, and for a release that is not signed. `dir`: the release's folder, whose bytes have been compared with the
 * manifest.
 */
export async function verifyProofs(dir: string, release: Manifest, keys: ProofKeys): Promise<Problem[]> {
  const { signed } = release;
  if (!signed) return verifyUnsigned(release);
  const [manifest, signature, latest] = await Promise.all(
    [MANIFEST_PATH, SIGNATURE_PATH, LATEST_PATH].map((path) => readFile(join(dir, 'public', path))),
  );
  try {
    const verifiers = keys.publisher ?? signed.keys.map(parseVerifierKey);
    const opened = await openManifest(manifest!, signature!, verifiers);
    if (keys.ledger) verifyCheckpoint(opened, keys.ledger);
    const { checkpoint } = opened.log;
    const { version, keys: names } = signed;
    const expires = signed.expires ?? expiryOf(release.timestamp, 0);
    const expected = statementsOf(release, { version, expires, checkpoint, keys: names });
    return [
      ...compare(MANIFEST_PATH, expected.manifest, manifest!.toString()),
      ...compare(LATEST_PATH, expected.latest, latest!.toString()),
    ];
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    const { place, expected, found } = error;
    return [{ place: `public/${place}`, expected, found }];
  }
}

function verifyUnsigned({ files }: Manifest): Problem[] {
  const proofs = files.filter(({ path, kind }) => kind === 'proof' || PROOF_PATHS.includes(path));
  return proofs.map(({ path }) => ({
    place: `public/${path}`,
    expected: 'no such file in a release that is not signed',
    found: 'one',
  }));
}

/** Throws ledger_signature, ledger_corrupt, release_invalid. */
function verifyCheckpoint({ log }: PublicManifest, verifiers: readonly Verifier[]): void {
  const place = `${MANIFEST_PATH} log.checkpoint`;
  const { origin, size, root } = parseCheckpoint(openNote(log.checkpoint, verifiers, place).text, place);
  const found = `${origin}, ${size} events, root ${Buffer.from(root, 'hex').toString('base64')}`;
  const expected = `${log.origin}, ${log.size} events, root ${log.root_hash}`;
  if (found !== expected) throw new CathedralError('release_invalid', { place, expected, found });
}

function compare(path: string, expected: string, found: string): Problem[] {
  if (expected === found) return [];
  const lines = found.split('\n');
  const other = expected.split('\n').findIndex((line, index) => line !== lines[index]);
  const at = Math.max(other, 0);
  return [
    {
      place: `public/${path}:${at + 1}`,
      expected: (expected.split('\n')[at] ?? 'its end').trim(),
      found: (lines[at] ?? 'its end').trim(),
    },
  ];
}
