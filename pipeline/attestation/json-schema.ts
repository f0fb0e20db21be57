import { JSON_SCHEMA, toJsonSchema } from '../ledger/events/json-schema.ts';
import { ATTESTATION_VERSION, AttestationDocument } from './document.ts';

/** Path below the root. The name contains the version: a later version gets a new file, and this one never changes. */
export const ATTESTATION_SCHEMA_PATH = `schemas/companion-attestation-${ATTESTATION_VERSION}.json`;

/**
 * The published file: JSON Schema 2020-12 of the signed document. It accepts what the reader accepts, except for rules that JSON Schema
 * cannot express (duplicate members, size and depth, hashes, signatures, times that depend on each other).
 */
export function formatAttestationJsonSchema(baseUrl: string): string {
  // As input: members with defaults are optional.
  const rest = toJsonSchema(AttestationDocument, { io: 'input' });
  const title = 'Companion Attestation';
  const description = `A companion’s signed statement that an entity requests a set of permissions, version ${ATTESTATION_VERSION}.`;
  const $id = `${baseUrl}/${ATTESTATION_SCHEMA_PATH}`;
  return `${JSON.stringify({ $schema: JSON_SCHEMA, $id, title, description, ...rest }, null, 2)}\n`;
}
