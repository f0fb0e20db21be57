import { CathedralError } from '../../../errors.ts';

/** What to do about an error of the server, by its code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const EXPECTED: Readonly<Record<string, string>> = {
  '28000': 'a user that may connect, as pg_hba.conf says',
  '28P01': 'a password that the server accepts, in PGPASSWORD or the password file',
  '3D000': 'a database of the server',
  '42P01': 'a table or view of the database',
  '42501': 'a user that may read the rows: GRANT SELECT, and USAGE on the schema',
  '57014': 'an answer in time',
  '55P03': 'a table that is not locked against readers',
  '25P03': 'an import that goes on reading',
  '57P01': 'a server that goes on running',
  '57P02': 'a server that goes on running',
  '57P03': 'a server that has started',
  '53300': 'a server with a free connection',
};

/** An error of the database as `import_failed`; `place` names the source. Passes over errors that are one already. */
export function importFault(error: unknown, place: string): CathedralError {
  if (error instanceof CathedralError) return error;
  const { code, message, severity, errors } = error as Error & {
    code?: string;
    severity?: string;
    errors?: Error[];
  };
  // A host with several addresses fails with one error for each.
  const found = message || errors?.map((one) => one.message).join('; ') || String(error);
  const isAnswer = severity !== undefined;
  const expected =
    EXPECTED[code ?? ''] ??
    (isAnswer ? 'rows that can be read' : 'a connection that lasts until the rows are read');
  return new CathedralError('import_failed', {
    place,
    expected,
    found: code ? `${found} (${code})` : found,
    cause: error,
  });
}
