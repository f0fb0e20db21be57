/**
 * Cosignatures (c2sp.org/tlog-cosignature): signature lines of a checkpoint's note with which a witness states when it saw the tree, and
 * that it extends every tree of this log that the witness saw before. Runs in browsers as well.
 */

import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { orNull } from '../../errors.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { formatKey, keyId, type NoteSignature, parseKey, parseVerifierKey, type Verifier } from './note.ts';
import { ed25519 } from './verify-note.ts';

/** The signature type of a cosignature: timestamped Ed25519. */
export const COSIGNATURE = 0x04;

/** A public key that is trusted to cosign checkpoints: a witness, or a log that signs in this form. */
export interface Cosigner {
  type: typeof COSIGNATURE;
  name: string;
  /** The first 4 bytes of its hash, 8 hex digits. */
  id: string;
  /** Ed25519, 32 bytes. */
  publicKey: Uint8Array;
}

const PUBLIC_KEY_BYTES = 32;
const TIMESTAMP_BYTES = 8;
/** Length of a cosignature: the time and an Ed25519 signature. */
export const COSIGNATURE_BYTES = TIMESTAMP_BYTES + 64;

/** `name+<key id>+base64(<type> ‖ public key)` → cosigner. Throws `config_invalid`: a key is a setting. */
export function parseCosignerKey(vkey: string): Cosigner {
  const { name, publicKey } = parseKey(
    vkey,
    (type, bytes) => type === COSIGNATURE && bytes === PUBLIC_KEY_BYTES,
    'name+id+base64 of a cosigner’s public key (type 4, Ed25519)',
  );
  return cosignerOf(name, publicKey);
}

/** A key with which logs sign checkpoints: of a signature on notes, or of a cosigner. Throws `config_invalid`. */
export function parseLogKey(vkey: string): Verifier | Cosigner {
  const { type } = parseKey(vkey, () => true, 'name+id+base64 of a public key');
  return type === COSIGNATURE ? parseCosignerKey(vkey) : parseVerifierKey(vkey);
}

export function formatCosignerKey({ name, type, publicKey }: Cosigner): string {
  return formatKey(name, type, publicKey);
}

/** Throws `config_invalid` for an invalid name. */
export function cosignerOf(name: string, publicKey: Uint8Array): Cosigner {
  return { type: COSIGNATURE, name, id: keyId(name, COSIGNATURE, publicKey), publicKey };
}

/** Whether a signature line is in the name of this key. */
export function isBy({ name, id }: Pick<Cosigner, 'name' | 'id'>, signature: NoteSignature): boolean {
  return signature.name === name && signature.id === id;
}

/**
 * What became of one signature. `timestamp`: seconds since 1970 at which the witness saw the checkpoint as the newest one; 0 if it does not
 * say, null for a log's signature of type 1, which has none.
 */
export type Verdict = { verdict: 'valid'; timestamp: number | null } | { verdict: 'invalid' };

/**
 * Verifies one signature on a checkpoint's text, by a cosigner or by a log's key. The signature must be in the key's name (`isBy`).
 * Reports, never throws.
 */
export async function verifySignature(
  key: Verifier | Cosigner,
  text: string,
  { signature }: NoteSignature,
): Promise<Verdict> {
  if (!('type' in key)) {
    const isValid = await verifyEd25519(key, utf8ToBytes(text), signature);
    return isValid ? { verdict: 'valid', timestamp: null } : { verdict: 'invalid' };
  }
  const timestamp = signature.length === COSIGNATURE_BYTES ? timestampOf(signature) : null;
  const message = timestamp === null ? null : cosignedMessage(timestamp, text);
  if (timestamp === null || message === null) return { verdict: 'invalid' };
  const isValid = await verifyEd25519(key, message, signature.subarray(TIMESTAMP_BYTES));
  return isValid ? { verdict: 'valid', timestamp } : { verdict: 'invalid' };
}

async function verifyEd25519(
  { publicKey }: Pick<Verifier, 'publicKey'>,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const { verify } = await ed25519();
  return verify(publicKey, message, signature).catch(() => false);
}

/** When a cosignature claims to have been made, in seconds since 1970, not verified; null if it is none. */
export function claimedTimestamp({ signature }: NoteSignature): number | null {
  return signature.length === COSIGNATURE_BYTES ? timestampOf(signature) : null;
}

/** Null beyond 2⁵³ seconds, 285 million years from now. */
function timestampOf(bytes: Uint8Array): number | null {
  const timestamp = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0);
  return timestamp <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(timestamp) : null;
}

/** The `timestamped_signature` of the specification. */
export function timestamped(timestamp: number, signature: Uint8Array): Uint8Array {
  return concatBytes(uint64(timestamp), signature);
}

/** The bytes that a cosigner signs for a checkpoint with this text at this time, in seconds since 1970. Null if the text is no checkpoint. */
export function cosignedMessage(timestamp: number, text: string): Uint8Array | null {
  const checkpoint = orNull(() => parseCheckpoint(text, 'checkpoint'));
  return checkpoint && utf8ToBytes(`cosignature/v1\ntime ${timestamp}\n${text}`);
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}
