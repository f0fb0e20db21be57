import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { ATTESTATION_VERSION } from './document.ts';
import type { Json, JsonObject } from './read-json.ts';

/**
 * First line of what is signed. A signature of a companion over anything else, were it the same JSON, is none over an
 * attestation.
 */
const CONTEXT = `companion-attestation/${ATTESTATION_VERSION}\n`;

/** Of what `readJson` gave, the RFC 8785 form in UTF-8. */
export function canonicalBytes(value: Json): Uint8Array {
  // The type is for values that have no JSON form, such as undefined.
  return new TextEncoder().encode(canonicalize(value) as string);
}

/** What is signed: the members as they were written, without `signature` and without defaults. */
export function signedBytes(document: JsonObject): Uint8Array {
  const { signature: _, ...rest } = document;
  const context = new TextEncoder().encode(CONTEXT);
  const json = canonicalBytes(rest);
  const bytes = new Uint8Array(context.length + json.length);
  bytes.set(context);
  bytes.set(json, context.length);
  return bytes;
}

/** What the ledger calls an attestation: the SHA-256 of the signed bytes, 64 hex digits. Two signatures of it are one. */
export function attestationId(document: JsonObject): string {
  return idOfSigned(signedBytes(document));
}

/** The same of the signed bytes themselves. */
export function idOfSigned(message: Uint8Array): string {
  return bytesToHex(sha256(message));
}

/**
 * What a renewal calls it in `metadata.previous_attestation`: a UUID of version 8 (RFC 9562 §5.8) over the first half of
 * its id, `c0ffee…` → `c0ffee00-0000-8000-8000-…`.
 */
export function attestationUuid(id: string): string {
  const variant = (8 + (Number.parseInt(id[16]!, 16) & 3)).toString(16);
  return `${id.slice(0, 8)}-${id.slice(8, 12)}-8${id.slice(13, 16)}-${variant}${id.slice(17, 20)}-${id.slice(20, 32)}`;
}

/** `epicon_ej_hash` of a justification, in lower case. */
export function justificationHash(justification: Json): string {
  return `sha256:${bytesToHex(sha256(canonicalBytes(justification)))}`;
}
