/** All reasons to refuse or question an attestation, by the codes that programs see. */
export const PROBLEMS = {
  too_large: 'The document has more than 65,536 bytes.',
  not_utf8: 'The document is not UTF-8, or begins with a byte order mark.',
  not_json: 'The document is not JSON.',
  too_deep: 'The document is nested more than 16 levels deep.',
  duplicate_member: 'An object has two members of the same name.',
  forbidden_member: 'An object has a member named __proto__.',
  lone_surrogate: 'A string contains half of a surrogate pair, which has no UTF-8 encoding.',
  number_not_finite: 'A number is beyond the range of a double.',
  missing_member: 'A required member is missing.',
  unknown_member: 'The schema does not have this top-level member.',
  wrong_type: 'A value has the wrong type.',
  wrong_value: 'A value is not one of those that the schema allows.',
  wrong_pattern: 'A string does not have the required form.',
  out_of_range: 'A number is outside its range.',
  too_short: 'A string is shorter than the schema allows.',
  too_few_items: 'An array has fewer items than the schema requires.',
  hash_mismatch: 'epicon_ej_hash is not the hash of epicon_ej.',
  expires_before_attested: 'expires_at is not after attested_at.',
  validity_too_long: 'expires_at is more than 90 days after attested_at.',
  attested_in_future: 'attested_at is more than 300 seconds ahead of now.',
  unknown_companion: 'No companion of this name is registered.',
  algorithm_not_registered: 'The companion has no key for this algorithm.',
  key_not_valid: 'No key of the companion was valid at attested_at.',
  key_ended: 'The ledger registered the attestation after the key had ended, so its date may be false.',
  signature_malformed: 'The signature is not 64 bytes in base64.',
  signature_high_s: 'The ECDSA signature has a high s. Only the equivalent form with a low s is accepted.',
  signature_invalid: 'The signature is not the companion’s over these bytes.',
  wallet_signature_malformed: 'The wallet signature is not 65 bytes with a low s and v of 27 or 28.',
  wallet_signature_invalid: 'The wallet signature is not by the known wallet of the ledger id.',
  previous_is_itself: 'The attestation claims to renew itself.',
  previous_unknown:
    'The attestation that it renews is not in the ledger, or expired more than 90 days before.',
  previous_of_another: 'The attestation that it renews belongs to a different companion or ledger id.',
  previous_revoked: 'The attestation that it renews had been revoked.',
  previous_superseded: 'The attestation that it renews was already renewed by a different one.',
  registration_differs: 'The ledger has this attestation with different content.',
  not_registered: 'The ledger does not have this attestation.',
  expired: 'expires_at has passed.',
  revoked: 'The attestation was revoked.',
  superseded: 'A later attestation has taken its place.',
  drift_check_late: 'The last drift check was longer ago than check_interval.',
  unread_member: 'An inner object has a member that this version does not read.',
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** A problem and its place: `pointer` is a JSON Pointer (RFC 6901), empty for the whole document. */
export interface Problem {
  code: ProblemCode;
  pointer: string;
  message: string;
}

/** Maximum number of reported problems. A document of 64 KiB can have thousands. */
export const MAX_PROBLEMS = 32;
/** Maximum number of characters that a message quotes. */
const MAX_QUOTED = 80;

export function problem(code: ProblemCode, path: readonly PropertyKey[], detail?: string): Problem {
  const long = path.findIndex((step) => String(step).length > MAX_QUOTED);
  const message = detail ?? PROBLEMS[code];
  if (long === -1) return { code, pointer: formatPointer(path), message };
  // A name can be as long as the document, and half a name would point nowhere. Point at the object that contains it.
  const place = `${message} It is in the member ${quote(path[long])} there.`;
  return { code, pointer: formatPointer(path.slice(0, long)), message: place };
}

/** `/companions/0/keys: Expected at least 1 item, found []. (too_few_items)` */
export function formatProblem({ code, pointer, message }: Problem): string {
  return `${pointer || '/'}: ${message} (${code})`;
}

/** `['epicon_ej', 'anchors', 0]` → `/epicon_ej/anchors/0` */
export function formatPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Quotes a value of the document, shortened to one line. */
export function quote(value: unknown): string {
  return shorten(JSON.stringify(value) ?? 'nothing');
}

/** Quotes text of the document, truncated to one line. */
export function shorten(text: string): string {
  // Cut between code points: half a surrogate pair would make the message itself ill-formed.
  return text.length <= MAX_QUOTED ? text : `${[...text.slice(0, MAX_QUOTED)].slice(0, -1).join('')}…`;
}
