import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { ATTESTATION_VERSION } from './document.ts';
import type { Json, JsonObject } from './limited-json.ts';

/**
 * First line of the signed bytes. It separates attestations from anything else that a companion signs, even the same JSON.
 */
const CONTEXT = `companion-attestation/${ATTESTATION_VERSION}\n`;

/** The RFC 8785 form, in UTF-8, of a value from `readLimitedJson`. */
export function canonicalBytes(value: Json): Uint8Array {
  // The type covers values without a JSON form, such as undefined.
  return new TextEncoder().encode(canonicalize(value) as string);
}

/** The signed bytes: the members as written, without `signature` and without defaults. */
export function signedBytes(document: JsonObject): Uint8Array {
  const { signature: _, ...rest } = document;
  const context = new TextEncoder().encode(CONTEXT);
  const json = canonicalBytes(rest);
  const bytes = new Uint8Array(context.length + json.length);
  bytes.set(context);
  bytes.set(json, context.length);
  return bytes;
}

/** The id of an attestation: SHA-256 of the signed bytes, 64 hex digits. It does not depend on the signature. */
export function attestationId(document: JsonObject): string {
  return idOfSigned(signedBytes(document));
}

/** The same from the signed bytes. */
export function idOfSigned(message: Uint8Array): string {
  return bytesToHex(sha256(message));
}

/**
 * The UUID by which `metadata.previous_attestation` of a renewal names it: version 8 (RFC 9562 §5.8), from the first half of its id,
 * `c0ffee…` → `c0ffee00-0000-8000-8000-…`.
 */
export function attestationUuid(id: string): string {
  const variant = (8 + (Number.parseInt(id[16]!, 16) & 3)).toString(16);
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-8${id.slice(13, 16)}-${variant}${id.slice(17, 20)}-${id.slice(20, 32)}`;
}

/** `epicon_ej_hash` of a justification, in lower case. */
export function justificationHash(justification: Json): string {
  return `sha256:${bytesToHex(sha256(canonicalBytes(justification)))}`;
}
