import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { access, constants, lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { asDiskErrors, makeFolder, sync } from '../disk/durable.ts';
import { errorOf } from '../errors.ts';
import { decodeBase64 } from '../ledger/notes/base64.ts';
import { formatTimestamp } from '../words/moment.ts';
import { SCHEMES, SECRET_KEY_BYTES } from './algorithms.ts';
import { canonicalBytes } from './canonical-bytes.ts';
import { ALGORITHMS, type Algorithm } from './document.ts';
import { readLimitedJson } from './limited-json.ts';
import { publicKeyHex, type SigningKey } from './sign-attestation.ts';

const refused = errorOf('attestation_refused');

/** 128 MiB and about a third of a second per guess; fixed, so that a file cannot demand more. */
const SCRYPT = { N: 131_072, r: 8, p: 1 } as const;
const MAX_MEMORY = 256 * 1024 * 1024;
const SALT_BYTES = 16;
/** AES-256-GCM: NIST SP 800-38D §8.2. A key encrypts only one text, because its salt is new each time. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MIN_PASSPHRASE = 12;

const Base64 = (bytes: number) =>
  z.string().refine((text) => decodeBase64(text)?.length === bytes, `base64 of ${bytes} bytes`);

const KeyFile = z.strictObject({
  format: z.literal('cathedral-attestation-key/1'),
  companion: z.string().min(1).max(200),
  algorithm: z.enum(ALGORITHMS),
  public_key: z.string().regex(/^([0-9a-f]{2})+$/),
  kdf: z.strictObject({
    name: z.literal('scrypt'),
    N: z.literal(SCRYPT.N),
    r: z.literal(SCRYPT.r),
    p: z.literal(SCRYPT.p),
    salt: Base64(SALT_BYTES),
  }),
  cipher: z.strictObject({ name: z.literal('aes-256-gcm'), iv: Base64(IV_BYTES) }),
  /** The encrypted secret key of 32 bytes; the tag covers it and the members above. */
  secret_key: Base64(32),
  tag: Base64(TAG_BYTES),
});

type KeyFile = z.output<typeof KeyFile>;

/**
 * The text of a key file: the secret key, encrypted with AES-256-GCM under scrypt (RFC 7914) of the passphrase in NFKC. The
 * other members, in their RFC 8785 form, are the additional data, so that a changed name or public key is detected.
 */
export function sealKey(key: SigningKey, passphrase: string): string {
  assertLong(passphrase);
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(IV_BYTES);
  const header = {
    format: 'cathedral-attestation-key/1',
    companion: key.companion,
    algorithm: key.algorithm,
    public_key: publicKeyHex(key.algorithm, key.secretKey),
    kdf: { name: 'scrypt', ...SCRYPT, salt: salt.toString('base64') },
    cipher: { name: 'aes-256-gcm', iv: iv.toString('base64') },
  } as const;
  const cipher = createCipheriv('aes-256-gcm', deriveKey(passphrase, salt), iv).setAAD(
    canonicalBytes(header),
  );
  const secret_key = Buffer.concat([cipher.update(key.secretKey), cipher.final()]).toString('base64');
  const file: KeyFile = { ...header, secret_key, tag: cipher.getAuthTag().toString('base64') };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Throws attestation_refused for a passphrase that is too short for a new key. */
export function assertLong(passphrase: string): void {
  if ([...passphrase].length >= MIN_PASSPHRASE) return;
  throw refused('passphrase', `at least ${MIN_PASSPHRASE} characters`, 'fewer');
}

/** A key file, of which companion and algorithm need no passphrase. Throws attestation_refused. */
export function parseKeyFile(text: string, place: string): KeyFile {
  const { value } = readLimitedJson(text);
  const parsed = KeyFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const found = path.length === 0 ? 'other text' : `${path.join('.')}: ${message}`;
  throw refused(place, 'a key file in the format cathedral-attestation-key/1', found);
}

/** Throws attestation_refused for a wrong passphrase and for a file that was changed. */
export function openKey(file: KeyFile, passphrase: string, place: string): SigningKey {
  const { secret_key, tag, ...header } = file;
  const { companion, algorithm, public_key } = header;
  const key = deriveKey(passphrase, Buffer.from(header.kdf.salt, 'base64'));
  const iv = Buffer.from(header.cipher.iv, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    .setAAD(canonicalBytes(header))
    .setAuthTag(Buffer.from(tag, 'base64'));
  const secretKey = decipher.update(secret_key, 'base64');
  try {
    decipher.final();
  } catch (cause) {
    throw refused(place, 'the passphrase of this key', 'a wrong one, or a changed file', cause);
  }
  // Signing with a secret key under another public key has leaked secret keys before.
  if (!SCHEMES[algorithm].isSecretKey(secretKey) || publicKeyHex(algorithm, secretKey) !== public_key)
    throw refused(place, 'the secret key of its public key', 'that of a different one');
  return { companion, algorithm, secretKey };
}

function deriveKey(passphrase: string, salt: Uint8Array): Buffer {
  // Keyboards differ in how they compose é.
  return scryptSync(passphrase.normalize('NFKC'), salt, 32, { ...SCRYPT, maxmem: MAX_MEMORY });
}

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
 * Makes the folder if it is missing. Throws attestation_refused for a file that is there, and disk_full and publish_failed where none can be
 * written, before anybody thinks of a passphrase; writing it may still fail.
 */
export async function assertFree(path: string): Promise<void> {
  // The symbolic link itself counts: nothing may be written through it, even if its target is missing.
  const found = await lstat(path).then(
    () => 'EEXIST',
    ({ code }: NodeJS.ErrnoException) => code!,
  );
  if (found === 'EEXIST') throw refused(path, 'a place for a new file', found);
  await asDiskErrors(path, async () => {
    await makeFolder(dirname(path));
    await access(dirname(path), constants.W_OK);
  });
}

/**
 * Writes a new key to a file that only its owner can read, and returns its public half. Throws attestation_refused if the file
 * exists, which may be the only copy of a key, disk_full and publish_failed.
 */
export async function makeKey(newKey: NewKey): Promise<CompanionEntry> {
  const { path, companion, algorithm, passphrase, now } = newKey;
  const secretKey = randomSecret(algorithm);
  const text = sealKey({ companion, algorithm, secretKey }, passphrase);
  await asDiskErrors(path, () =>
    writeNew(path, text).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? refused(path, 'a place for a new file', 'EEXIST', error) : error;
    }),
  );
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

/** One number in 2^128 is not a secret key of secp256k1. */
function randomSecret(algorithm: Algorithm): Uint8Array {
  for (;;) {
    const bytes = randomBytes(SECRET_KEY_BYTES);
    if (SCHEMES[algorithm].isSecretKey(bytes)) return bytes;
  }
}
