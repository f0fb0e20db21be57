/** The problem codes of authentication, for PROBLEMS. `status`, `title` as there; `about` is the page of the code. */
export const KEY_PROBLEMS = {
  key_required: {
    status: 401,
    title: 'This path needs a key',
    about:
      'The path is restricted and the request came without a key. Send one in the header, `Authorization: Bearer <key>`. How to ask for a key is told in the guide to keys.',
  },
  key_in_query: {
    status: 400,
    title: 'A key must not stand in an address',
    about:
      'The query has a parameter for keys, or a value that looks like one. Addresses end up in histories and in the logs of every machine on the way, so a key there is refused even where it is good (RFC 6750 §2.3 advises against it). Send it in the header, and have a key that was sent in an address rotated.',
  },
  invalid_authorization: {
    status: 400,
    title: 'The Authorization header cannot be read',
    about:
      'There is more than one Authorization header, or there is not exactly one key after `Bearer`. Send one header with one key: `Authorization: Bearer <key>`.',
  },
  unknown_scheme: {
    status: 401,
    title: 'Only Bearer keys are known here',
    about:
      'The Authorization header has another scheme than Bearer, Basic for example, which a user name in the address or an entry in a .netrc file can cause. Public paths are read without the header, restricted ones with `Authorization: Bearer <key>`.',
  },
  invalid_token: {
    status: 401,
    title: 'The key is not valid',
    about:
      'The key is mistyped, unknown, expired or revoked; the detail says which. It is refused on public paths too, so that nobody takes the anonymous limit for the one of a key. An expired key cannot be revived: ask for a new one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The key is not for this area',
    about:
      'The key is good, but not for the area of this path; the detail names its areas. Leave the header out on public paths, or ask for a key of this area.',
  },
} as const;

export type KeyProblemCode = keyof typeof KEY_PROBLEMS;

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

/** RFC 6750 §3.1; null: a request that did not use Bearer gets the challenge without an error code. */
const ERRORS: Readonly<Record<KeyProblemCode, string | null>> = {
  key_required: null,
  unknown_scheme: null,
  key_in_query: 'invalid_request',
  invalid_authorization: 'invalid_request',
  invalid_token: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
};

/** `scope`: the area that the path would need. `detail` has no quotes and no backslashes: it is repeated in the header. */
export function refuse(
  code: KeyProblemCode,
  detail: string,
  about: { id: string; holder: string } | null = null,
  scope?: string,
): Refusal {
  const error = ERRORS[code];
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
