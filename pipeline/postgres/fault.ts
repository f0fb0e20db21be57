import { CathedralError, type ErrorCode } from '../errors.ts';

const KNOWN_AUTHORITY =
  'a certificate of an authority that this machine knows; sslrootcert=FILE in the address names another one';

/** What to do about an error of the server, by its code: https://www.postgresql.org/docs/current/errcodes-appendix.html; or of TLS. */
const EXPECTED: Readonly<Record<string, string>> = {
  '28000': 'a user that may connect, as pg_hba.conf says',
  '28P01': 'a password that the server accepts, in PGPASSWORD or the password file',
  '3D000': 'a database of the server',
  '42501': 'a user with all rights on the schema cathedral, or one that may create it',
  '25006': 'a primary server, which can be written to',
  '57014': 'an answer in time',
  '55P03': 'a lock in time',
  '57P01': 'a server that goes on running',
  '57P02': 'a server that goes on running',
  '57P03': 'a server that has started',
  '53300':
    'a server with a free connection: max_connections, or CONNECTION LIMIT of the user or the database',
  // Managed servers have an authority of their own.
  SELF_SIGNED_CERT_IN_CHAIN: KNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: KNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: KNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: KNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'a certificate of this host; sslmode=verify-ca in the address does not compare its name',
  NO_TLS: 'a server with TLS; sslmode=disable in the address goes without it',
};

/** The codes of errors that only another configuration ends. */
const CONFIGURATION = /^(28000|28P01|3D000)$/;

/** What `pg` itself says when the server asks for a password and there is none. */
const PASSWORD_MISSING = /^SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be/;
const NO_TLS = /does not support SSL/;
const NETWORK = /^(ECONN\w+|ETIMEDOUT|EHOST\w+|ENET\w+|ENOTFOUND|EAI_AGAIN|EPIPE|ENOENT|57P03)$/;
const CUT = /timeout|terminated/i;

export interface FaultContext {
  code: ErrorCode;
  /** The address without its password. */
  place: string;
  /** What is expected instead of an error with one of these codes. */
  expected?: Readonly<Record<string, string>>;
  /** What is expected instead of any other error of the server. */
  answer: string;
  /** What is expected instead of a connection that ends. */
  connection: string;
}

/** An error of `pg` as a CathedralError. Returns errors that are one already unchanged. */
export function postgresFault(error: unknown, context: FaultContext): CathedralError {
  if (error instanceof CathedralError) return error;
  const { message, errors } = error as Error & { errors?: Error[] };
  const code = (error as { code?: string }).code;
  const isMissing = PASSWORD_MISSING.test(message);
  const own = isMissing ? '28P01' : NO_TLS.test(message) ? 'NO_TLS' : undefined;
  // A host with several addresses fails with one error for each.
  const found = message || errors?.map((one) => one.message).join('; ') || String(error);
  const known = { ...EXPECTED, ...context.expected }[own ?? sqlState(error) ?? code ?? ''];
  const expected = known ?? (isAnswer(error) ? context.answer : context.connection);
  const shown = code ? `${found} (${code})` : found;
  return new CathedralError(context.code, {
    place: context.place,
    expected,
    found: isMissing ? 'no password' : shown,
    cause: error,
  });
}

/** An error of the store at `place`: config_invalid for wrong credentials or an unknown database, otherwise store_failed. */
export function storeFault(error: unknown, place: string): CathedralError {
  const isMisconfigured =
    PASSWORD_MISSING.test((error as Error).message) || CONFIGURATION.test(sqlState(error) ?? '');
  return postgresFault(error, {
    code: isMisconfigured ? 'config_invalid' : 'store_failed',
    place,
    answer: 'a statement that the server carries out',
    connection: 'a connection that lasts until the answer',
  });
}

/** Whether no server answered, or one that is only starting: it may answer later, as it is configured. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof CathedralError) return error.cause !== undefined && isUnreachable(error.cause);
  const { code, message } = error as { code?: string; message: string };
  return code === undefined ? !isAnswer(error) && CUT.test(message) : NETWORK.test(code);
}

/** The code that the server gave an error (`23505`), also as the cause of another one; null if it gave none. */
export function sqlState(error: unknown): string | null {
  if (isAnswer(error)) return (error as { code?: string }).code ?? null;
  return error instanceof Error && error.cause !== undefined ? sqlState(error.cause) : null;
}

/** Whether the server sent the error, rather than the network or the client. */
function isAnswer(error: unknown): boolean {
  return (error as { severity?: string } | null)?.severity !== undefined;
}
