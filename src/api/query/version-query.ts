import { AS_OF_FORMS, slotAsOf } from '../../../pipeline/release/format/version-at.ts';
import { invalidParameter, parseParameters, quoted } from './parameters.ts';

/** Which version of a file a request asks for: that of a slot, or the one with a hash. */
export type VersionQuery = { slot: string } | { sha256: string };

/** Throws a Problem unknown_parameter or invalid_parameter. */
export function parseVersionQuery(query: string): VersionQuery {
  const found = parseParameters(query, ['as_of', 'sha256']);
  const asOf = found.get('as_of');
  const sha256 = found.get('sha256');
  if (asOf === undefined) return { sha256: parseHash(sha256!) };
  if (sha256 !== undefined) throw invalidParameter('as_of', 'as_of or sha256', 'both');
  const slot = slotAsOf(asOf);
  if (slot !== null) return { slot };
  // A plus sign that is not percent-encoded becomes a space.
  const hint = asOf.includes(' ') ? ' (write a plus sign in an address as %2B)' : '';
  throw invalidParameter('as_of', AS_OF_FORMS, `${quoted(asOf)}${hint}`);
}

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw invalidParameter('sha256', '64 lower-case hexadecimal digits', quoted(text));
}
