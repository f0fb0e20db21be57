import type { z } from 'zod';
import { type Attestation, AttestationDocument, Justification } from './document.ts';
import { MAX_PROBLEMS, type Problem, problem } from './problem.ts';
import { type Json, type JsonObject, readJson } from './read-json.ts';
import { schemaProblems } from './schema-problems.ts';

const { values, anchors, boundaries } = Justification.shape;
const { applies_when, fails_when } = boundaries.unwrap().shape;

/** The lists of a document, and the schemas of their items. */
const LISTS: readonly (readonly [path: readonly string[], item: z.ZodType])[] = [
  [['scope'], AttestationDocument.shape.scope.element],
  [['epicon_ej', 'values'], values.unwrap().element],
  [['epicon_ej', 'anchors'], anchors.unwrap().element],
  [['epicon_ej', 'boundaries', 'applies_when'], applies_when.element],
  [['epicon_ej', 'boundaries', 'fails_when'], fails_when.element],
];

/**
 * Truncates lists after as many faulty items as a verdict can report: twenty thousand of them would keep the schema busy for half a
 * second. Lists without faulty items stay whole.
 */
export function truncateLists(document: JsonObject): JsonObject {
  return LISTS.reduce((given, [path, item]) => cutAt(given, path, item) as JsonObject, document);
}

function cutAt(
  value: Json | undefined,
  [step, ...rest]: readonly string[],
  item: z.ZodType,
): Json | undefined {
  if (step === undefined) return Array.isArray(value) ? cut(value, item) : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, step))
    return value;
  const before = value[step];
  const after = cutAt(before, rest, item);
  // With thousands of members, a copy per list would take longer than reading the document.
  return after === before ? value : { ...value, [step]: after! };
}

function cut(items: Json[], item: z.ZodType): Json[] {
  let faulty = 0;
  const end = items.findIndex((one) => {
    if (!item.safeParse(one).success) faulty += 1;
    return faulty > MAX_PROBLEMS;
  });
  return end === -1 ? items : items.slice(0, end);
}

export type Parsed =
  /** `document`: as written, which is what is signed; `attestation`: as read, with defaults. */
  | { document: JsonObject; attestation: Attestation }
  /** The text is not JSON, so nothing else can be checked. */
  | { step: 'syntax'; problems: Problem[] }
  | { step: 'schema'; problems: Problem[] };

/** Parses a signed document from text or bytes. */
export function parseAttestation(input: string | Uint8Array): Parsed {
  const read = readJson(input);
  if (read.problem) return { step: 'syntax', problems: [read.problem] };
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { step: 'schema', problems: [problem('wrong_type', [], 'Expected an object.')] };
  const parsed = AttestationDocument.safeParse(truncateLists(value));
  if (!parsed.success) return { step: 'schema', problems: schemaProblems(parsed.error.issues, value) };
  return { document: value, attestation: parsed.data };
}
