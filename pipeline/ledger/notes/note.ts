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
const ED25519 = 0x01;
const PUBLIC_KEY_BYTES = 32;
const ID_BYTES = 4;

const KEY_NAME = /^[^\s+\p{White_Space}\p{Cc}]+$/u;
const VERIFIER_KEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+=*)$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the specification forbids exactly these in a note
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** A public key that is trusted to sign notes. `id` is the first 4 bytes of its hash, 8 hex digits. */
export interface Verifier {
  name: string;
  id: string;
  /** Ed25519, 32 bytes. */
  publicKey: Uint8Array;
}

export interface Signer {
  verifier: Verifier;
  sign(message: Uint8Array): Uint8Array;
}

/** `name+<key id>+base64(0x01 ‖ public key)` → verifier. Throws `config_invalid`: a key is a setting. */
export function parseVerifierKey(vkey: string): Verifier {
  const { name, publicKey } = parseKey(
    vkey,
    (type, bytes) => type === ED25519 && bytes === PUBLIC_KEY_BYTES,
    'name+id+base64 of an Ed25519 public key',
  );
  return { name, id: keyId(name, ED25519, publicKey), publicKey };
}

export function formatVerifierKey({ name, publicKey }: Verifier): string {
  return formatKey(name, ED25519, publicKey);
}

/**
 * A verifier key of any signature type. `isAccepted` is told the type and the length of the public key. Throws `config_invalid`.
 */
export function parseKey(
  vkey: string,
  isAccepted: (type: number, bytes: number) => boolean,
  expected: string,
): { name: string; type: number; publicKey: Uint8Array } {
  const [, name, id, base64] = VERIFIER_KEY.exec(vkey.trim()) ?? [];
  const bytes = decodeBase64(base64 ?? '');
  const type = bytes?.[0];
  if (name === undefined || !bytes || type === undefined || !isAccepted(type, bytes.length - 1))
    throw invalidKey(expected, JSON.stringify(vkey.slice(0, 200)));
  const publicKey = bytes.subarray(1);
  const found = keyId(name, type, publicKey);
  if (found !== id) throw invalidKey(`key id ${found} for this key`, `${id}`);
  return { name, type, publicKey };
}

/** `name+<key id>+base64(<type> ‖ <public key>)`. */
export function formatKey(name: string, type: number, publicKey: Uint8Array): string {
  return `${name}+${keyId(name, type, publicKey)}+${encodeBase64(Uint8Array.of(type, ...publicKey))}`;
}

/** The id by which a signature names its key. Throws `config_invalid` for an invalid name. */
export function keyId(name: string, type: number, publicKey: Uint8Array): string {
  if (!KEY_NAME.test(name))
    throw invalidKey('a key name without spaces and plus signs', JSON.stringify(name));
  const hash = sha256(concatBytes(utf8ToBytes(`${name}\n`), Uint8Array.of(type), publicKey));
  return bytesToHex(hash.subarray(0, ID_BYTES));
}

/** Throws `config_invalid` for an invalid key name. */
export function verifierOf(name: string, publicKey: Uint8Array): Verifier {
  return { name, id: keyId(name, ED25519, publicKey), publicKey };
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
    const verifier = verifiers.find((known) => known.name === name && known.id === id);
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
export interface NoteSignature {
  name: string;
  /** 8 hex digits. */
  id: string;
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
