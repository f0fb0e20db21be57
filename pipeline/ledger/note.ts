/**
 * C2SP signed notes (c2sp.org/signed-note) with Ed25519 keys: a text and under it one line per signature,
 * `— <key name> base64(<key id, 4 bytes> ‖ <signature>)`.
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { CathedralError } from '../errors.ts';

const MAX_NOTE_BYTES = 1_000_000;
/** As many as every verifier has to take. */
const MAX_SIGNATURES = 16;
const ED25519 = 0x01;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** DER headers that node:crypto wants before a raw Ed25519 key: RFC 8410 §4 (SPKI) and §7 (PKCS #8). */
const SPKI_HEADER = Buffer.from('302a300506032b6570032100', 'hex');
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

const KEY_NAME = /^[^\s+\p{White_Space}\p{Cc}]+$/u;
const VERIFIER_KEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const SIGNATURE_LINE = /^— (\S+) ([A-Za-z0-9+/]+=*)$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the specification forbids exactly these in a note
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;

/** A public key that is trusted to sign notes. `id` is the first 4 bytes of its hash, 8 hex digits. */
export interface Verifier {
  name: string;
  id: string;
  publicKey: Uint8Array;
  key: KeyObject;
}

export interface Signer {
  verifier: Verifier;
  sign(message: Uint8Array): Uint8Array;
}

/** `name+<key id>+base64(0x01 ‖ public key)` → verifier. Throws `config_invalid`: a key is a setting. */
export function parseVerifierKey(vkey: string): Verifier {
  const [, name, id, base64] = VERIFIER_KEY.exec(vkey.trim()) ?? [];
  const bytes = base64 === undefined ? undefined : decodeBase64(base64);
  if (
    name === undefined ||
    bytes === undefined ||
    bytes[0] !== ED25519 ||
    bytes.length !== 1 + PUBLIC_KEY_BYTES
  ) {
    throw badKey('name+id+base64 of an Ed25519 public key', JSON.stringify(vkey));
  }
  const verifier = verifierOf(name, bytes.subarray(1));
  if (verifier.id !== id) throw badKey(`key id ${verifier.id} for this key`, `${id}`);
  return verifier;
}

export function formatVerifierKey(verifier: Verifier): string {
  return `${verifier.name}+${verifier.id}+${encodeKey(verifier.publicKey).toString('base64')}`;
}

/** `seed` is the 32-byte private key of RFC 8032. */
export function signerFromSeed(name: string, seed: Uint8Array): Signer {
  if (seed.length !== PUBLIC_KEY_BYTES) throw badKey('a seed of 32 bytes', `${seed.length} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI_HEADER.length);
  return { verifier: verifierOf(name, publicKey), sign: (message) => sign(null, message, key) };
}

/** The note of `text`, which ends in a line end, with a signature by each signer. */
export function signNote(text: string, signer: Signer, ...others: readonly Signer[]): string {
  const fault = textFault(text);
  if (fault) throw malformed(`note by ${signer.verifier.name}`, fault);
  const message = Buffer.from(text);
  const lines = [signer, ...others].map(({ verifier: { name, id }, sign }) => {
    const signature = Buffer.concat([Buffer.from(id, 'hex'), sign(message)]);
    return `— ${name} ${signature.toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/**
 * The text of a note that a known key signed, and the first such key. Signatures by unknown keys are ignored, as
 * witnesses and later keys may add theirs; one by a known key that does not verify refuses the whole note.
 * Throws `ledger_corrupt` (not a note) or `ledger_signature`. `place` names the note in errors.
 */
export function openNote(
  note: string | Uint8Array,
  verifiers: readonly Verifier[],
  place: string,
): { text: string; verifier: Verifier } {
  const { text, signatures } = splitNote(decodeNote(note, place), place);
  const message = Buffer.from(text);
  const seen = new Set<string>();
  let signedBy: Verifier | undefined;
  for (const { name, id, signature } of signatures) {
    if (seen.size === seen.add(`${name}+${id}`).size) {
      throw malformed(place, { expected: 'one signature per key', found: `two of ${name}+${id}` });
    }
    const verifier = verifiers.find((known) => known.name === name && known.id === id);
    if (!verifier) continue;
    if (signature.length !== SIGNATURE_BYTES || !verify(null, message, verifier.key, signature)) {
      throw unsigned(place, `a valid signature by ${name}+${id}`, 'one that does not verify');
    }
    signedBy ??= verifier;
  }
  if (signedBy) return { text, verifier: signedBy };
  const known = verifiers.map((verifier) => `${verifier.name}+${verifier.id}`).join(', ');
  throw unsigned(
    place,
    `a signature by ${known || 'a known key (none is known)'}`,
    `only ${[...seen].join(', ')}`,
  );
}

/**
 * The text of a note whose signatures nobody here can verify: something else has to vouch for it. Throws
 * `ledger_corrupt` for what is not a note.
 */
export function noteText(note: string, place: string): string {
  return splitNote(decodeNote(note, place), place).text;
}

interface NoteSignature {
  name: string;
  id: string;
  signature: Buffer;
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
  // A text may have blank lines of its own: the last one ends it.
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
  const bytes = base64 === undefined ? undefined : decodeBase64(base64);
  if (name === undefined || !KEY_NAME.test(name) || bytes === undefined || bytes.length < 5) {
    throw malformed(place, {
      expected: 'a signature line "— name base64"',
      found: JSON.stringify(line.slice(0, 200)),
    });
  }
  return { name, id: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) };
}

function textFault(text: string): { expected: string; found: string } | undefined {
  if (!text.endsWith('\n')) return { expected: 'a line end at the end', found: 'none' };
  if (CONTROL.test(text)) return { expected: 'no control characters', found: 'one' };
  if (!text.isWellFormed()) return { expected: 'well-formed Unicode', found: 'a lone surrogate' };
  return undefined;
}

function verifierOf(name: string, publicKey: Uint8Array): Verifier {
  if (!KEY_NAME.test(name)) throw badKey('a key name without spaces and plus signs', JSON.stringify(name));
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), encodeKey(publicKey)]), 'hex').slice(
    0,
    8,
  );
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEADER, publicKey]), format: 'der', type: 'spki' });
  return { name, id, publicKey, key };
}

function encodeKey(publicKey: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(ED25519), publicKey]);
}

/** Strict: Node drops what it does not know, so only the one spelling that gives the bytes back counts. */
function decodeBase64(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
}

function malformed(
  place: string,
  fault: { expected: string; found: string; cause?: unknown },
): CathedralError {
  return new CathedralError('ledger_corrupt', { place, ...fault });
}

function unsigned(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('ledger_signature', { place, expected, found });
}

function badKey(expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place: 'verifier key', expected, found });
}
