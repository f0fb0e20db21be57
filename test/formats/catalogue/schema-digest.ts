import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Artifact } from '../../../pipeline/artifacts/artifact.ts';

/** What programs rely on. Descriptions may change without changing the digest. */
const COUNTED = new Set(
  'type properties required additionalProperties items anyOf oneOf enum const format minimum maximum unit range formula'.split(
    ' ',
  ),
);
/** Below these, every name counts, because members are named freely. */
const NAMED = new Set(['properties']);

/**
 * SHA-256 in hex over names, types, units, ranges and formulas of a file's members, in their order; null for a file without
 * members (PDF, BibTeX).
 */
export function schemaDigest(artifact: Artifact): string | null {
  if (artifact.kind === 'printed' || artifact.mediaType.startsWith('application/x-bibtex')) return null;
  if (artifact.kind !== 'history' || artifact.line === null) return digestOf(artifact.schema);
  return digestOf(z.strictObject({ file: artifact.schema, line: artifact.line }));
}

/** The same for a schema alone. */
export function digestOf(schema: z.core.$ZodType): string {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return createHash('sha256')
    .update(JSON.stringify(counted(whole)))
    .digest('hex');
}

function counted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(counted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => COUNTED.has(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, NAMED.has(name) ? eachCounted(member) : counted(member)]),
  );
}

function eachCounted(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, counted(member)]));
}
