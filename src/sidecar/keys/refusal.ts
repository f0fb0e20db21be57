import type { ProblemCode } from '../../api/problem.ts';

/** The `error` of the challenge (RFC 6750 §3.1), by problem code; null: what did not use Bearer is challenged without one. */
export const CHALLENGE_ERRORS = {
  key_required: null,
  unknown_scheme: null,
  key_in_query: 'invalid_request',
  invalid_authorization: 'invalid_request',
  invalid_token: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
} as const satisfies Partial<Record<ProblemCode, string | null>>;

export type KeyProblemCode = keyof typeof CHALLENGE_ERRORS;

/** Why a request is not answered: what the client is told, and what the access log may say about who asked. */
export interface Refusal {
  kind: 'refusal';
  code: KeyProblemCode;
  /** Read by whoever sent the request; never has any part of what was sent. */
  detail: string;
  headers: { 'WWW-Authenticate': string };
  /** Of a key that is known but no good here. */
  keyId: string | null;
  holder: string | null;
}

const REALM = 'Bearer realm="cathedral"';

/** `scope`: the area that the path would need. `detail` has no quotes and no backslashes: it is repeated in the header. */
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

/** For a restricted path that was asked for without a key. */
export function refuseAnonymous(): Refusal {
  return refuse('key_required', 'Send a key: Authorization: Bearer <key>.');
}
