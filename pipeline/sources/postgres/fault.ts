import type { CathedralError } from '../../errors.ts';
import { postgresFault } from '../../postgres/fault.ts';

const EXPECTED: Readonly<Record<string, string>> = {
  '42P01': 'a table or view of the database',
  '42501': 'a user that may read the rows: GRANT SELECT, and USAGE on the schema',
  '55P03': 'a table that is not locked against readers',
  '25P03': 'an import that goes on reading',
  '53300': 'a server with a free connection',
};

/** An error of the database as `import_failed`; `place` names the source. Passes over errors that are one already. */
export function importFault(error: unknown, place: string): CathedralError {
  return postgresFault(error, {
    code: 'import_failed',
    place,
    expected: EXPECTED,
    answer: 'rows that can be read',
    connection: 'a connection that lasts until the rows are read',
  });
}
