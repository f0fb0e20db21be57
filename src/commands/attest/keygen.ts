import { randomBytes } from 'node:crypto';
import { access, constants, lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { SCHEMES, SECRET_KEY_BYTES } from '../../../pipeline/attestation/algorithms.ts';
import { ALGORITHMS, type Algorithm } from '../../../pipeline/attestation/document.ts';
import { publicKeyHex } from '../../../pipeline/attestation/sign-attestation.ts';
import { type Flag, text } from '../../../pipeline/config/setting.ts';
import { makeFolder, sync } from '../../../pipeline/disk/durable.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import { defineCommand, formatJson, json } from '../command.ts';
import { sealKey } from './key-file.ts';
import { askNewPassphrase, givenPassphrase, PASSPHRASE_SETTINGS } from './passphrase.ts';

export const companion = {
  flag: 'companion',
  default: null,
  unit: 'the name of a companion, at most 200 characters',
  description: 'The companion that attests.',
  schema: text.max(200),
} as const satisfies Flag;

export const algorithm = {
  flag: 'algorithm',
  default: null,
  unit: 'ed25519 or ecdsa-secp256k1',
  description: 'The signature algorithm. Without it, ed25519.',
  schema: z.enum(ALGORITHMS),
} as const satisfies Flag;

export const attestKeygen = defineCommand({
  summary: "Makes a companion's signing key, encrypted with a passphrase, and prints its public half.",
  details:
    'The printed entry registers the key: put it into the file of --companions. The command asks for the passphrase unless it is given.',
  examples: [
    'cathedral attest keygen --companion LANTERN --key-file lantern.key > companions.json',
    'cathedral attest keygen --companion LANTERN --key-file lantern.key --passphrase-file lantern.pass --json',
  ],
  settings: ['attestationKey', ...PASSPHRASE_SETTINGS],
  required: { attestationKey: true },
  flags: {
    companion: { ...companion, required: true },
    algorithm,
    json: { ...json, description: 'Prints no advice on standard error. The result is JSON in any case.' },
  },
  async run(config, { now, print, progress }) {
    const { attestationKey: path, companion } = config;
    await assertFree(path);
    const passphrase = (await givenPassphrase(config)) ?? (await askNewPassphrase());
    const key = { path, companion, algorithm: config.algorithm ?? 'ed25519', passphrase, now: now() };
    const entry = await makeKey(key, randomBytes);
    if (!config.json)
      progress.note(`The encrypted key is in ${path}. To register it, add this to the companions:`);
    print(formatJson(entry));
    return 0;
  },
});

interface NewKey {
  path: string;
  companion: string;
  algorithm: Algorithm;
  passphrase: string;
  /** Ms since 1970: the key may attest from then on. */
  now: number;
}

/** An entry for the file of companions. */
interface CompanionEntry {
  companion: string;
  keys: { algorithm: Algorithm; public_key: string; valid_from: string }[];
}

/**
 * Makes the folder if it is missing. Throws attestation_refused where no new file can be written, before anybody thinks of a
 * passphrase; writing it may still fail.
 */
async function assertFree(path: string): Promise<void> {
  // The symbolic link itself counts: nothing may be written through it, even if its target is missing.
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
 * Writes a new key to a file that only its owner can read, and returns its public half. Throws attestation_refused if the file
 * exists: it may be the only copy of a key.
 */
async function makeKey(newKey: NewKey, randomBytes: (size: number) => Uint8Array): Promise<CompanionEntry> {
  const { path, companion, algorithm, passphrase, now } = newKey;
  const secretKey = randomSecret(algorithm, randomBytes);
  const text = sealKey({ companion, algorithm, secretKey }, passphrase);
  await refusing(path, () => writeNew(path, text));
  const valid_from = formatTimestamp(now);
  return { companion, keys: [{ algorithm, public_key: publicKeyHex(algorithm, secretKey), valid_from }] };
}

/** Flushes the file, because the public half may be registered the next moment. */
async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    // A partial key is useless, and would block the next attempt.
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

/** One number in 2^128 is not a secret key of secp256k1. */
function randomSecret(algorithm: Algorithm, randomBytes: (size: number) => Uint8Array): Uint8Array {
  for (;;) {
    const bytes = randomBytes(SECRET_KEY_BYTES);
    if (SCHEMES[algorithm].isSecretKey(bytes)) return bytes;
  }
}
