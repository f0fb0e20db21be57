import { z } from 'zod';
import { ATTESTATION_VERSION, AttestationDocument } from './document.ts';

/** Below the root. The version is in the name: a later one is another file, and this one never changes. */
export const ATTESTATION_SCHEMA_PATH = `schemas/companion-attestation-${ATTESTATION_VERSION}.json`;

/**
 * JSON Schema 2020-12 of the document as it is signed: it accepts and refuses what the reader does, but for what JSON Schema
 * cannot say (members given twice, size and depth, hashes, signatures, times that depend on each other).
 */
export function attestationJsonSchema(baseUrl: string): Record<string, unknown> {
  // As input: defaults may be left out.
  const { $schema, ...rest } = z.toJSONSchema(AttestationDocument, { target: 'draft-2020-12', io: 'input' });
  const title = 'Companion Attestation';
  const description = `A companion’s signed statement that an entity requests a set of permissions, version ${ATTESTATION_VERSION}.`;
  return { $schema, $id: `${baseUrl}/${ATTESTATION_SCHEMA_PATH}`, title, description, ...rest };
}

/** The published file. */
export function formatAttestationJsonSchema(baseUrl: string): string {
  return `${JSON.stringify(attestationJsonSchema(baseUrl), null, 2)}\n`;
}
