import { randomBytes } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  asDiskErrors,
  makeFolder,
  renameDurably,
  TEMPORARY_SUFFIX,
  writeBeside,
} from '../../disk/durable.ts';
import { givenText } from '../../disk/read-given.ts';
import { realOf } from '../../disk/real-path.ts';
import { CathedralError, errorOf } from '../../errors.ts';
import { formatTimestamp } from '../../words/moment.ts';
import { counted } from '../../words/number.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { ED25519, formatVerifierKey, type KeyType, MOST_KEYS, type Signer, type Verifier } from './note.ts';
import { signerFromSeed } from './signer-from-seed.ts';

const badFile = errorOf('config_invalid');

/** A key that signs notes: a name and the 32-byte secret of RFC 8032. */
export interface NoteKey {
  name: string;
  seed: Uint8Array;
  /** ISO 8601. */
  made: string;
}

const SEED_BYTES = 32;
/** The format of Go's golang.org/x/mod/sumdb/note, so that other programs can sign with it too. */
const LINE = /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

/** What the keys of a file are for. */
export interface KeyFileKind {
  /** The first line. */
  heading: string;
  /** The signature type of the keys. */
  type: KeyType;
  /** For messages: `an Ed25519 key`. */
  what: string;
}

const SIGNING: KeyFileKind = {
  heading: '# Signing keys, the one that stays first. Keep them secret, and keep a copy of them.\n',
  type: ED25519,
  what: 'an Ed25519 key',
};

/** Verifier key: `name+id+base64`. */
export function verifierKeyOf(key: NoteKey): string {
  return formatVerifierKey(signerOf(key).verifier);
}

export function signerOf({ name, seed }: NoteKey): Signer {
  return signerFromSeed(name, seed);
}

/** The text of a key file: `PRIVATE+KEY+<name>+<id>+<base64 of the type and the seed> <when it was made>`, a line each. */
export function formatNoteKeys(keys: readonly NoteKey[], { heading, type } = SIGNING): string {
  const lines = keys.map((key) => {
    const secret = encodeBase64(Uint8Array.of(type, ...key.seed));
    return `PRIVATE+KEY+${key.name}+${idOf(key, type)}+${secret} ${key.made}\n`;
  });
  return heading + lines.join('');
}

function idOf({ name, seed }: NoteKey, type: KeyType): string {
  return signerFromSeed(name, seed, type).verifier.id;
}

/** Throws config_invalid. The error never shows what was found, which may be half a key. */
export function parseNoteKeys(text: string, place: string, kind = SIGNING): NoteKey[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const keys = lines.map((line, index) => parseLine(line, `${place}, key ${index + 1}`, kind));
  const ids = new Set(keys.map((key) => idOf(key, kind.type)));
  if (keys.length > 0 && keys.length <= MOST_KEYS && ids.size === keys.length) return keys;
  throw badFile(
    place,
    `1 to ${MOST_KEYS} keys, each once`,
    `${counted(keys.length, 'line')}, ${counted(ids.size, 'key')}`,
  );
}

function parseLine(line: string, place: string, { type, what }: KeyFileKind): NoteKey {
  const [, name = '', id, base64 = '', made = ''] = LINE.exec(line) ?? [];
  const bytes = decodeBase64(base64);
  if (bytes?.length !== 1 + SEED_BYTES)
    throw badFile(place, `PRIVATE+KEY+name+id+base64 of ${what}, and a time`, 'something else');
  if (bytes[0] !== type) throw badFile(place, `a key of type ${type} (Ed25519)`, `one of type ${bytes[0]}`);
  const key = { name, seed: bytes.subarray(1), made };
  const expected = idOf(key, type);
  if (expected !== id) throw badFile(place, `the id ${expected} of this key`, 'another one');
  return key;
}

/** Permission bits of group and others. */
const OTHERS = 0o077;
/**
 * Where systemd puts the credentials of a service (`LoadCredential=`). Their folder is closed to everyone but the service's user, whom an
 * access control list lets read the file; that list's mask shows up as the permission of the group.
 */
const CREDENTIALS = '/run/credentials/';
const GROUP_READS = 0o040;

/** Whether a file with this mode keeps a secret from other users. */
export function isPrivate(path: string, mode: number): boolean {
  const given = path.startsWith(CREDENTIALS) ? GROUP_READS : 0;
  return (mode & OTHERS & ~given) === 0;
}

/** A new key; `now` in ms since 1970. */
export function newNoteKey(name: string, now: number): NoteKey {
  return { name, seed: randomBytes(SEED_BYTES), made: formatTimestamp(now) };
}

/**
 * The keys in a file, the one that stays first; null if it does not exist. Throws config_invalid for a file that others can read or
 * that holds no keys.
 */
export async function readNoteKeys(path: string): Promise<NoteKey[] | null> {
  return readPrivateFile(path, (text, place) => parseNoteKeys(text, place));
}

/** The verifier keys that belong to the signing keys in a file; null if there is no such file. Throws as `readNoteKeys`. */
export async function readNoteVerifiers(path: string): Promise<Verifier[] | null> {
  return (await readNoteKeys(path))?.map((key) => signerOf(key).verifier) ?? null;
}

/** What `parse` makes of a file of secrets; null if it does not exist. Throws config_invalid like `readNoteKeys`. */
export async function readPrivateFile<T>(
  path: string,
  parse: (text: string, place: string) => T,
): Promise<T | null> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && !isPrivate(path, mode)) {
      const expected = 'a file that only its owner can read (chmod 600)';
      throw badFile(path, expected, `mode ${(mode & 0o777).toString(8)}`);
    }
    return parse(givenText(await readFile(path), path), path);
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    const { code = String(cause) } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw badFile(path, 'a file of keys that can be read', code, cause);
  }
}

/**
 * Replaces the keys in the file atomically; others can read it at no time. Call it with a lock held that its other writers take. Throws
 * publish_failed.
 */
export async function writeNoteKeys(path: string, keys: readonly NoteKey[]): Promise<void> {
  await writePrivateFile(path, formatNoteKeys(keys));
}

/** The same for any file of secrets. Where the path is a link, it stays one: a secret does not move to another disk. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const file = realOf(path);
  await asDiskErrors(path, async () => {
    await makeFolder(dirname(file), { mode: 0o700 });
    await removeUnsettledKeys(path);
    await renameDurably(await writeBeside(file, text, { mode: 0o600, exclusive: true }), file, true);
  });
}

/** Removes temporary key files that a killed run left. Call it under the same lock. Throws publish_failed. */
export async function removeUnsettledKeys(path: string): Promise<void> {
  await asDiskErrors(path, () => rm(unsettled(path), { force: true }));
}

const unsettled = (path: string) => `${realOf(path)}${TEMPORARY_SUFFIX}`;
