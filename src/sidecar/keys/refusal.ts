import type { ProblemCode } from '../../api/problem.ts';

/**
 * The `error` of the challenge (RFC 6750 §3.1) by problem code. Null: a request without Bearer gets a challenge without an
 * error.
 */
export const CHALLENGE_ERRORS = {
  key_required: null,
  unknown_scheme: null,
  key_in_query: 'invalid_request',
  invalid_authorization: 'invalid_request',
  invalid_token: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
} as const satisfies Partial<Record<ProblemCode, string | null>>;

export type KeyProblemCode = keyof typeof CHALLENGE_ERRORS;

/** Why a request is refused: the text for the client, and what the access log may record about the key. */
export interface Refusal {
  kind: 'refusal';
  code: KeyProblemCode;
  /** Shown to the client. Never contains any part of the request. */
  detail: string;
  headers: { 'WWW-Authenticate': string };
  /** The record of a key that is known but not valid here. */
  keyId: string | null;
  holder: string | null;
}

const REALM = 'Bearer realm="cathedral"';

/** `scope`: the area that the path requires. `detail` must not contain quotes or backslashes, because the header repeats it. */
export function refuse(
  code: KeyProblemCode,
  detail: string,
  about: { id: string; holder: string } | null = null,
  scope?: string,
): Refusal {
  const error = CHALLENGE_ERRORS[code];
  const parts = [REALM];
  if (error !== null) parts.push(`error="${error}"`, `error_description="${detail}"`);
  if (scope !== undefined) parts.push(`scope="${scope}"`);
  return {
    kind: 'refusal',
    code,
    detail,
    headers: { 'WWW-Authenticate': parts.join(', ') },
    keyId: about?.id ?? null,
    holder: about?.holder ?? null,
  };
}

/** The refusal of a request for a restricted path without a key. */
export function refuseAnonymous(): Refusal {
  return refuse('key_required', 'Send a key: Authorization: Bearer <key>.');
}
