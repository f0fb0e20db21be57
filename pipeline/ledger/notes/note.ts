/**
 * C2SP signed notes (c2sp.org/signed-note) with Ed25519 keys: a text and under it one line per signature,
 * `— <key name> base64(<key id, 4 bytes> ‖ <signature>)`.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { CathedralError, errorOf } from '../../errors.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';

const unsigned = errorOf('ledger_signature');

/** Maximum size of a note in bytes, as in the format's reference implementation. */
export const MAX_NOTE_BYTES = 1_000_000;
/**
 * As in the format's reference implementation. Every verifier must accept 16; a checkpoint that two keys signed and 32 witnesses cosigned
 * has more.
 */
export const MAX_SIGNATURES = 100;
/** How many keys of one name may sign. A rotation has two. */
export const MOST_KEYS = 8;
/** The signature type of a key that signs the text of a note. */
export const ED25519 = 0x01;
/** The signature type of a key that signs a checkpoint with the time at which it was seen (c2sp.org/tlog-cosignature). */
export const COSIGNATURE = 0x04;
export type KeyType = typeof ED25519 | typeof COSIGNATURE;
const PUBLIC_KEY_BYTES = 32;
const ID_BYTES = 4;

const KEY_NAME = /^[^\s+\p{White_Space}\p{Cc}]+$/u;
const VERIFIER_KEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+=*)$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the specification forbids exactly these in a note
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** The name and the id of a key. Two keys of one name and id are the same. */
export interface KeyName {
  name: string;
  /** The first 4 bytes of its hash, 8 hex digits. */
  id: string;
}

/** A public key that is trusted to sign. */
export interface PublicKey<Type extends KeyType = KeyType> extends KeyName {
  type: Type;
  /** Ed25519, 32 bytes. */
  publicKey: Uint8Array;
}

/** A public key that is trusted to sign notes. */
export type Verifier = PublicKey<typeof ED25519>;
/** A public key that is trusted to cosign checkpoints: a witness, or a log that signs in this form. */
export type Cosigner = PublicKey<typeof COSIGNATURE>;

export interface Signer<Key extends PublicKey = Verifier> {
  verifier: Key;
  sign(message: Uint8Array): Uint8Array;
}

/** `name+<key id>+base64(0x01 ‖ public key)` → verifier. Throws `config_invalid`: a key is a setting. */
export function parseVerifierKey(vkey: string): Verifier {
  return parseKey(vkey, [ED25519], 'an Ed25519 public key');
}

/** The same with the type 0x04. */
export function parseCosignerKey(vkey: string): Cosigner {
  return parseKey(vkey, [COSIGNATURE], 'a cosigner’s public key (type 4, Ed25519)');
}

/** A key with which logs sign checkpoints, of either type. */
export function parseLogKey(vkey: string): PublicKey {
  return parseKey(vkey, [ED25519, COSIGNATURE], 'an Ed25519 public key (type 1 or 4)');
}

function parseKey<Type extends KeyType>(vkey: string, types: readonly Type[], what: string): PublicKey<Type> {
  const [, name, id, base64] = VERIFIER_KEY.exec(vkey.trim()) ?? [];
  const bytes = decodeBase64(base64 ?? '');
  const type = types.find((one) => one === bytes?.[0]);
  if (name === undefined || type === undefined || bytes?.length !== 1 + PUBLIC_KEY_BYTES)
    throw invalidKey(`name+id+base64 of ${what}`, JSON.stringify(vkey.slice(0, 200)));
  const key = publicKeyOf(type, name, bytes.subarray(1));
  if (key.id !== id) throw invalidKey(`key id ${key.id} for this key`, `${id}`);
  return key;
}

/** `name+<key id>+base64(<type> ‖ <public key>)`. */
export function formatVerifierKey({ type, name, id, publicKey }: PublicKey): string {
  return `${name}+${id}+${encodeBase64(Uint8Array.of(type, ...publicKey))}`;
}

/** Throws `config_invalid` for an invalid name. */
export function publicKeyOf<Type extends KeyType>(
  type: Type,
  name: string,
  publicKey: Uint8Array,
): PublicKey<Type> {
  if (!KEY_NAME.test(name))
    throw invalidKey('a key name without spaces and plus signs', JSON.stringify(name));
  const hash = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(type), publicKey));
  return { type, name, id: bytesToHex(hash.subarray(0, ID_BYTES)), publicKey };
}

/** Whether two are the same key, or a signature line is in the name of a key. */
export function isBy(key: KeyName, { name, id }: KeyName): boolean {
  return key.name === name && key.id === id;
}

/** Signs `text`, which must end with a line end, with each signer. */
export function signNote(text: string, signer: Signer, ...others: readonly Signer[]): string {
  const fault = textFault(text);
  if (fault) throw malformed(`note by ${signer.verifier.name}`, fault);
  const message = utf8ToBytes(text);
  const lines = [signer, ...others].map(({ verifier, sign }) =>
    formatSignature({ ...verifier, signature: sign(message) }),
  );
  return `${text}\n${lines.join('')}`;
}

/** A line of a note. */
export function formatSignature({ name, id, signature }: NoteSignature): string {
  return `— ${name} ${encodeBase64(concatBytes(hexToBytes(id), signature))}\n`;
}

/** The text of a note, and its signatures in the name of known keys. */
export interface NoteClaims {
  text: string;
  /** In the note's order, at least one. */
  claims: readonly [Claim, ...Claim[]];
  /** Name and id of the other keys in whose name it is signed, `name+id`. */
  unknown: readonly string[];
}

interface Claim {
  verifier: Verifier;
  signature: Uint8Array;
}

/**
 * Parses a note and its claimed signatures; verifies nothing. Ignores signatures by unknown keys, because witnesses and later keys may
 * add theirs, even repeatedly. A known key may have signed twice, and then each of its signatures must verify. Throws
 * `ledger_corrupt` (not a note) or `ledger_signature` (no known key).
 * `place` names the note in errors.
 */
export function readClaims(
  note: string | Uint8Array,
  verifiers: readonly Verifier[],
  place: string,
): NoteClaims {
  const { text, signatures } = readSignatures(note, place);
  const unknown = new Set<string>();
  const claims: Claim[] = [];
  for (const { name, id, signature } of signatures) {
    const verifier = verifiers.find((known) => isBy(known, { name, id }));
    if (verifier) claims.push({ verifier, signature });
    else unknown.add(`${name}+${id}`);
  }
  const [first, ...others] = claims;
  if (first) return { text, claims: [first, ...others], unknown: [...unknown] };
  const known = verifiers.map((verifier) => `${verifier.name}+${verifier.id}`).join(', ');
  throw unsigned(
    place,
    `a signature by ${known || 'a known key (none is known)'}`,
    `only ${[...unknown].join(', ')}`,
  );
}

/** The error for an invalid signature by a known key, which invalidates the whole note. */
export function invalidSignature({ verifier: { name, id } }: Claim, place: string): CathedralError {
  return unsigned(place, `a valid signature by ${name}+${id}`, 'one that does not verify');
}

/**
 * The text of a note without verifying its signatures. The caller needs another proof of it. Throws `ledger_corrupt` if it is not a note.
 */
export function noteText(note: string | Uint8Array, place: string): string {
  return readSignatures(note, place).text;
}

/** A signature line: the key in whose name it is, and what that key's type makes of it. */
export interface NoteSignature extends KeyName {
  signature: Uint8Array;
}

/** The text of a note and all its signatures in the note's order; verifies nothing. Throws `ledger_corrupt`. */
export function readSignatures(
  note: string | Uint8Array,
  place: string,
): { text: string; signatures: NoteSignature[] } {
  return splitNote(decodeNote(note, place), place);
}

function decodeNote(note: string | Uint8Array, place: string): string {
  if (note.length > MAX_NOTE_BYTES) {
    throw malformed(place, { expected: `at most ${MAX_NOTE_BYTES} bytes`, found: `${note.length}` });
  }
  if (typeof note === 'string') return note;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(note);
  } catch (cause) {
    throw malformed(place, { expected: 'UTF-8', found: 'other bytes', cause });
  }
}

function splitNote(note: string, place: string): { text: string; signatures: NoteSignature[] } {
  // A text may contain blank lines. The last one ends it.
  const blank = note.lastIndexOf('\n\n');
  const fault =
    blank < 0 ? { expected: 'a text, a blank line and signatures', found: 'no blank line' } : textFault(note);
  if (fault) throw malformed(place, fault);
  const lines = note.slice(blank + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) {
    throw malformed(place, { expected: `at most ${MAX_SIGNATURES} signatures`, found: `${lines.length}` });
  }
  return { text: note.slice(0, blank + 1), signatures: lines.map((line) => parseSignature(line, place)) };
}

function parseSignature(line: string, place: string): NoteSignature {
  const [, name, base64] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = decodeBase64(base64 ?? '');
  if (name === undefined || !KEY_NAME.test(name) || bytes === null || bytes.length <= ID_BYTES) {
    throw malformed(place, {
      expected: 'a signature line "— name base64"',
      found: JSON.stringify(line.slice(0, 200)),
    });
  }
  return { name, id: bytesToHex(bytes.subarray(0, ID_BYTES)), signature: bytes.subarray(ID_BYTES) };
}

function textFault(text: string): { expected: string; found: string } | undefined {
  if (!text.endsWith('\n')) return { expected: 'a line end at the end', found: 'none' };
  if (CONTROL.test(text)) return { expected: 'no control characters', found: 'one' };
  if (!text.isWellFormed()) return { expected: 'well-formed Unicode', found: 'a lone surrogate' };
  return undefined;
}

function malformed(
  place: string,
  fault: { expected: string; found: string; cause?: unknown },
): CathedralError {
  return new CathedralError('ledger_corrupt', { place, ...fault });
}

export function invalidKey(expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place: 'verifier key', expected, found });
}
