/** Everything that can be wrong with an attestation: the closed set of reasons, by the codes that programs see. */
export const PROBLEMS = {
  too_large: 'The document has more than 65 536 bytes.',
  not_utf8: 'The document is not UTF-8, or begins with a byte order mark.',
  not_json: 'The document is not JSON.',
  too_deep: 'The document is nested more than 16 levels deep.',
  duplicate_member: 'An object has two members of one name.',
  forbidden_member: 'An object has a member named __proto__.',
  lone_surrogate: 'A string has half of a surrogate pair, which has no UTF-8 form.',
  number_not_finite: 'A number is beyond the range of a double.',
  missing_member: 'A required member is missing.',
  unknown_member: 'There is a top-level member that the schema does not have.',
  wrong_type: 'A value is of another type than the schema has.',
  wrong_value: 'A value is none of those that the schema allows.',
  wrong_pattern: 'A string does not have the form that the schema asks for.',
  out_of_range: 'A number is outside its range.',
  too_short: 'A string is shorter than the schema allows.',
  too_few_items: 'An array has fewer items than the schema asks for.',
  hash_mismatch: 'epicon_ej_hash is not the hash of epicon_ej.',
  expires_before_attested: 'expires_at is not after attested_at.',
  validity_too_long: 'expires_at is more than 90 days after attested_at.',
  attested_in_future: 'attested_at is more than 300 seconds ahead of now.',
  unknown_companion: 'No companion of this name is registered.',
  algorithm_not_registered: 'The companion has no key for this algorithm.',
  key_not_valid: 'No key of the companion was valid at attested_at.',
  key_ended:
    'The ledger took the attestation after the key had ended: its date may not be that of its making.',
  signature_malformed: 'The signature is not the base64 form of 64 bytes.',
  signature_high_s: 'The ECDSA signature has a high s, the other form of a signature with a low one.',
  signature_invalid: 'The signature is not that of the companion over these bytes.',
  wallet_signature_malformed: 'The wallet signature is not one of 65 bytes with a low s and v of 27 or 28.',
  wallet_signature_invalid: 'The wallet signature is not by the wallet that is known for the ledger id.',
  previous_is_itself: 'The attestation names itself as the one that it renews.',
  previous_unknown:
    'The attestation that it renews is not in the ledger, or expired more than 90 days before.',
  previous_of_another: 'The attestation that it renews is of another companion or another ledger id.',
  previous_revoked: 'The attestation that it renews was revoked before.',
  previous_superseded: 'The attestation that it renews was renewed by another one already.',
  registration_differs: 'The ledger has this attestation with another content.',
  not_registered: 'The ledger does not have this attestation.',
  expired: 'expires_at has passed.',
  revoked: 'The attestation was revoked.',
  superseded: 'A later attestation has taken its place.',
  drift_check_late: 'The last drift check is longer ago than check_interval.',
  unread_member: 'An inner object has a member that this version does not read.',
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** One thing that is wrong, and where: `pointer` is a JSON Pointer (RFC 6901), empty for the whole document. */
export interface Problem {
  code: ProblemCode;
  pointer: string;
  message: string;
}

/** A document of 64 KiB can be wrong in thousands of places; more than these help nobody. */
export const MAX_PROBLEMS = 32;
/** What a message repeats of a document, characters. */
const MAX_QUOTED = 80;

export function problem(code: ProblemCode, path: readonly PropertyKey[], detail?: string): Problem {
  const long = path.findIndex((step) => String(step).length > MAX_QUOTED);
  const message = detail ?? PROBLEMS[code];
  if (long === -1) return { code, pointer: formatPointer(path), message };
  // A name can be as long as the document, and half a name would point nowhere: the object that has it is what is pointed at.
  const place = `${message} It is in the member ${quote(path[long])} there.`;
  return { code, pointer: formatPointer(path.slice(0, long)), message: place };
}

/** `['epicon_ej', 'anchors', 0]` → `/epicon_ej/anchors/0` */
export function formatPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A value of the document for a message, on one line and short. */
export function quote(value: unknown): string {
  return shorten(JSON.stringify(value) ?? 'nothing');
}

/** Text of the document for a message: what is longer than a line is cut off. */
export function shorten(text: string): string {
  // Cut between code points: half a pair would make the message itself ill-formed.
  return text.length <= MAX_QUOTED ? text : `${[...text.slice(0, MAX_QUOTED)].slice(0, -1).join('')}…`;
}
