/**
 * Cosignatures (c2sp.org/tlog-cosignature): signature lines of a checkpoint's note with which a witness states when it saw the tree, and
 * that it extends every tree of this log that the witness saw before. Runs in browsers as well.
 */
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { parseCheckpoint } from './checkpoint.ts';
import { formatKey, keyId, type NoteSignature, parseKey, parseVerifierKey, type Verifier } from './note.ts';
import { ed25519 } from './verify-note.ts';

/** `0x04`: timestamped Ed25519. `0x06`: ML-DSA-44 (FIPS 204), which also covers the cosigner's name. */
export type CosignatureType = 0x04 | 0x06;

interface Algorithm {
  name: 'Ed25519' | 'ML-DSA-44';
  /** Lengths in bytes. */
  publicKey: number;
  signature: number;
}

export const COSIGNATURES: Readonly<Record<CosignatureType, Algorithm>> = {
  4: { name: 'Ed25519', publicKey: 32, signature: 64 },
  6: { name: 'ML-DSA-44', publicKey: 1312, signature: 2420 },
};

/** A public key that is trusted to cosign checkpoints: a witness, or a log that signs in this form. */
export interface Cosigner {
  type: CosignatureType;
  name: string;
  /** The first 4 bytes of its hash, 8 hex digits. */
  id: string;
  publicKey: Uint8Array;
}

const TIMESTAMP_BYTES = 8;
const LABEL = utf8ToBytes('subtree/v1\n\0');
/** Of a name in the message that ML-DSA-44 signs, in bytes. */
const LONGEST_NAME = 255;

/** `name+<key id>+base64(<type> ‖ public key)` → cosigner. Throws `config_invalid`: a key is a setting. */
export function parseCosignerKey(vkey: string): Cosigner {
  const { name, type, publicKey } = parseKey(
    vkey,
    (type, bytes) => isCosignatureType(type) && bytes === COSIGNATURES[type].publicKey,
    'name+id+base64 of a cosigner’s public key (type 4, Ed25519, or type 6, ML-DSA-44)',
  );
  return cosignerOf(name, type as CosignatureType, publicKey);
}

/** A key with which logs sign checkpoints: of a signature on notes, or of a cosigner. Throws `config_invalid`. */
export function parseLogKey(vkey: string): Verifier | Cosigner {
  const { type } = parseKey(vkey, () => true, 'name+id+base64 of a public key');
  return isCosignatureType(type) ? parseCosignerKey(vkey) : parseVerifierKey(vkey);
}

export function isCosignatureType(type: number): type is CosignatureType {
  return type in COSIGNATURES;
}

export function formatCosignerKey({ name, type, publicKey }: Cosigner): string {
  return formatKey(name, type, publicKey);
}

/** Throws `config_invalid` for an invalid name. */
export function cosignerOf(name: string, type: CosignatureType, publicKey: Uint8Array): Cosigner {
  return { type, name, id: keyId(name, type, publicKey), publicKey };
}

/** Whether a signature line is in the name of this key. */
export function isBy({ name, id }: Pick<Cosigner, 'name' | 'id'>, signature: NoteSignature): boolean {
  return signature.name === name && signature.id === id;
}

/**
 * What became of one signature. `timestamp`: seconds since 1970 at which the witness saw the checkpoint as the newest one; 0 if it does not
 * say, null for a log's signature of type 1, which has none. `uncheckable`: this platform lacks the algorithm.
 */
export type Verdict = { verdict: 'valid'; timestamp: number | null } | { verdict: 'invalid' | 'uncheckable' };

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
    const isValid = await (await ed25519())
      .verify(key.publicKey, utf8ToBytes(text), signature)
      .catch(() => false);
    return isValid ? { verdict: 'valid', timestamp: null } : { verdict: 'invalid' };
  }
  return verifyCosignature(key, text, signature);
}

async function verifyCosignature(cosigner: Cosigner, text: string, bytes: Uint8Array): Promise<Verdict> {
  const { name, signature: length } = COSIGNATURES[cosigner.type];
  const timestamp = bytes.length === TIMESTAMP_BYTES + length ? timestampOf(bytes) : null;
  const message = timestamp === null ? null : cosignedMessage(cosigner, timestamp, text);
  if (timestamp === null || message === null) return { verdict: 'invalid' };
  const verify = name === 'Ed25519' ? (await ed25519()).verify : await mlDsa44();
  if (!verify) return { verdict: 'uncheckable' };
  const isValid = await verify(cosigner.publicKey, message, bytes.subarray(TIMESTAMP_BYTES)).catch(
    () => false,
  );
  return isValid ? { verdict: 'valid', timestamp } : { verdict: 'invalid' };
}

/** When a cosignature claims to have been made, in seconds since 1970, not verified; null if it is none. */
export function claimedTimestamp({ type }: Cosigner, { signature }: NoteSignature): number | null {
  return signature.length === TIMESTAMP_BYTES + COSIGNATURES[type].signature ? timestampOf(signature) : null;
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

/**
 * The bytes that a cosigner signs for a checkpoint with this text at this time, in seconds since 1970. Null if there are none: the text is
 * no checkpoint, or a name is too long.
 */
export function cosignedMessage(
  { type, name }: Cosigner,
  timestamp: number,
  text: string,
): Uint8Array | null {
  const tree = treeOf(text);
  if (!tree) return null;
  if (type === 0x04) return utf8ToBytes(`cosignature/v1\ntime ${timestamp}\n${text}`);
  const [cosigner, origin] = [utf8ToBytes(name), utf8ToBytes(tree.origin)];
  if (cosigner.length > LONGEST_NAME || origin.length > LONGEST_NAME) return null;
  return concatBytes(
    LABEL,
    Uint8Array.of(cosigner.length),
    cosigner,
    uint64(timestamp),
    Uint8Array.of(origin.length),
    origin,
    uint64(0),
    uint64(tree.size),
    hexToBytes(tree.root),
  );
}

function treeOf(text: string) {
  try {
    return parseCheckpoint(text, 'checkpoint');
  } catch {
    return null;
  }
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

type VerifyMlDsa44 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>;

let mlDsa: Promise<VerifyMlDsa44 | null> | undefined;

/** The platform's implementation, chosen once. */
function mlDsa44(): Promise<VerifyMlDsa44 | null> {
  mlDsa ??= Promise.resolve(nodeMlDsa44() ?? webMlDsa44());
  return mlDsa;
}

/** DER header that node:crypto wants before a raw ML-DSA-44 public key, RFC 9881 §4. */
const SPKI_HEADER = hexToBytes('30820532300b060960864801650304031103820521' + '00');
const ANY_KEY = new Uint8Array(COSIGNATURES[0x06].publicKey);

/** Node's own, which unlike its WebCrypto gives no warning of an experimental feature. Null elsewhere, or with an older OpenSSL. */
function nodeMlDsa44(): VerifyMlDsa44 | null {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (!crypto) return null;
  const keyOf = (publicKey: Uint8Array) =>
    crypto.createPublicKey({
      key: globalThis.Buffer.from(concatBytes(SPKI_HEADER, publicKey)),
      format: 'der',
      type: 'spki',
    });
  try {
    // Every string of this length is a key.
    keyOf(ANY_KEY);
  } catch {
    return null;
  }
  return async (publicKey, message, signature) => crypto.verify(null, message, keyOf(publicKey), signature);
}

/** Most browsers do not have it. */
async function webMlDsa44(): Promise<VerifyMlDsa44 | null> {
  const { subtle } = (globalThis as { crypto?: Partial<Crypto> }).crypto ?? {};
  if (!subtle) return null;
  const keyOf = (bytes: Uint8Array) =>
    (subtle.importKey as (...given: unknown[]) => Promise<CryptoKey>)(
      'raw-public',
      bytes,
      'ML-DSA-44',
      false,
      ['verify'],
    );
  const isThere = await keyOf(ANY_KEY).then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  return async (publicKey, message, signature) =>
    subtle.verify('ML-DSA-44', await keyOf(publicKey), owned(signature), owned(message));
}

/** WebCrypto accepts no views of shared memory. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
