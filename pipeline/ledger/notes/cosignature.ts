/**
 * Cosignatures (c2sp.org/tlog-cosignature): signature lines of a checkpoint's note with which a witness states when it saw the tree, and
 * that it extends every tree of this log that the witness saw before. Runs in browsers as well.
 */

import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { orNull } from '../../errors.ts';
import { parseCheckpoint } from './checkpoint.ts';
import {
  COSIGNATURE,
  type Cosigner,
  formatSignature,
  type NoteSignature,
  type PublicKey,
  type Signer,
} from './note.ts';
import { ed25519 } from './verify-note.ts';

const TIMESTAMP_BYTES = 8;
/** Length of a cosignature: the time and an Ed25519 signature. */
export const COSIGNATURE_BYTES = TIMESTAMP_BYTES + 64;

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
  { type, publicKey }: PublicKey,
  text: string,
  line: NoteSignature,
): Promise<Verdict> {
  const isCosigned = type === COSIGNATURE;
  const timestamp = isCosigned ? claimedTimestamp(line) : null;
  const message = isCosigned ? cosignedMessage(timestamp, text) : utf8ToBytes(text);
  const signature = isCosigned ? line.signature.subarray(TIMESTAMP_BYTES) : line.signature;
  const { verify } = await ed25519();
  const isValid = message !== null && (await verify(publicKey, message, signature));
  return isValid ? { verdict: 'valid', timestamp } : { verdict: 'invalid' };
}

/**
 * When a cosignature claims to have been made, in seconds since 1970, not verified; null if it is none, or says a time beyond 2⁵³ seconds,
 * 285 million years from now.
 */
export function claimedTimestamp({ signature }: NoteSignature): number | null {
  if (signature.length !== COSIGNATURE_BYTES) return null;
  const timestamp = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  return timestamp <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(timestamp) : null;
}

/** A signature line for the note of a checkpoint. `timestamp`: seconds since 1970. Throws a RangeError if `text` cannot be cosigned. */
export function cosign({ verifier, sign }: Signer<Cosigner>, text: string, timestamp: number): string {
  const message = cosignedMessage(timestamp, text);
  if (!message) throw new RangeError(`${verifier.name} cannot cosign ${JSON.stringify(text.slice(0, 200))}`);
  // The `timestamped_signature` of the specification.
  return formatSignature({ ...verifier, signature: concatBytes(uint64(timestamp), sign(message)) });
}

/** What a cosigner signs: a time, in seconds since 1970, and the text of a checkpoint. Null without a time, and for a text that is no checkpoint. */
function cosignedMessage(timestamp: number | null, text: string): Uint8Array | null {
  const checkpoint = timestamp === null ? null : orNull(() => parseCheckpoint(text, 'checkpoint'));
  return checkpoint && utf8ToBytes(`cosignature/v1\ntime ${timestamp}\n${text}`);
}

function uint64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}
