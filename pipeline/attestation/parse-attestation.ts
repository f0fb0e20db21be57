import { type Attestation, AttestationDocument } from './document.ts';
import { type JsonObject, readLimitedJson } from './limited-json.ts';
import { type Problem, problem } from './problem.ts';
import { schemaProblems } from './schema-problems.ts';

export type Parsed =
  /** `document`: as written, which is what is signed; `attestation`: as read, with defaults. */
  | { document: JsonObject; attestation: Attestation }
  /** The text is not JSON, so nothing else can be checked. */
  | { step: 'syntax'; problems: Problem[] }
  | { step: 'schema'; problems: Problem[] };

/** Parses a signed document from text or bytes. */
export function parseAttestation(input: string | Uint8Array): Parsed {
  const read = readLimitedJson(input);
  if (read.problem) return { step: 'syntax', problems: [read.problem] };
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { step: 'schema', problems: [problem('wrong_type', [], 'Expected an object.')] };
  const parsed = AttestationDocument.safeParse(value);
  if (!parsed.success) return { step: 'schema', problems: schemaProblems(parsed.error.issues, value) };
  return { document: value, attestation: parsed.data };
}
