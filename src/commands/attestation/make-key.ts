import { access, constants, lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SCHEMES, SECRET_KEY_BYTES } from '../../../pipeline/attestation/algorithms.ts';
import type { Algorithm } from '../../../pipeline/attestation/document.ts';
import { publicKeyHex } from '../../../pipeline/attestation/sign-attestation.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { makeFolder, sync } from '../../../pipeline/release/disk/durable.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import { sealKey } from './key-file.ts';

export interface NewKey {
  path: string;
  companion: string;
  algorithm: Algorithm;
  passphrase: string;
  /** Ms since 1970: from when on the key may attest. */
  now: number;
}

/** What is added to the file of companions. */
export interface CompanionEntry {
  companion: string;
  keys: { algorithm: Algorithm; public_key: string; valid_from: string }[];
}

/**
 * Makes the folder where it is missing, and throws attestation_refused where no new file can be at `path`: before anybody thinks
 * of a passphrase. Whether it still can be when it is written is for the writing to see.
 */
export async function assertFree(path: string): Promise<void> {
  // Of a symbolic link itself: what it points to may be missing, but nothing is written through it.
  const found = await lstat(path).then(
    () => 'EEXIST',
    ({ code }: NodeJS.ErrnoException) => code!,
  );
  if (found !== 'ENOENT') throw refused(path, found);
  await refusing(path, async () => {
    await makeFolder(dirname(path));
    await access(dirname(path), constants.W_OK);
  });
}

/**
 * Writes a new key to a file that its owner alone can read, and returns its public half. Throws attestation_refused: a file
 * that is there is never written over, it may be the only copy of a key.
 */
export async function makeKey(
  asked: NewKey,
  randomBytes: (size: number) => Uint8Array,
): Promise<CompanionEntry> {
  const { path, companion, algorithm, passphrase, now } = asked;
  const secretKey = randomSecret(algorithm, randomBytes);
  const text = sealKey({ companion, algorithm, secretKey }, passphrase);
  await refusing(path, () => writeNew(path, text));
  const valid_from = formatTimestamp(now);
  return { companion, keys: [{ algorithm, public_key: publicKeyHex(algorithm, secretKey), valid_from }] };
}

/** On the disk when it returns: its public half may be registered the next moment. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    // Half a key is none, and would keep the next one from its place.
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await sync(dirname(path));
}

async function refusing(path: string, work: () => Promise<void>): Promise<void> {
  await work().catch((cause: NodeJS.ErrnoException) => {
    throw refused(path, cause.code ?? cause.message, cause);
  });
}

function refused(place: string, found: string, cause?: unknown): CathedralError {
  const expected = 'a place for a new file';
  return new CathedralError('attestation_refused', { place, expected, found, cause });
}

/** One number in 2^128 is none of secp256k1's keys. */
function randomSecret(algorithm: Algorithm, randomBytes: (size: number) => Uint8Array): Uint8Array {
  for (;;) {
    const bytes = randomBytes(SECRET_KEY_BYTES);
    if (SCHEMES[algorithm].isSecretKey(bytes)) return bytes;
  }
}
