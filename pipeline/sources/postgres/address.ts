import { z } from 'zod';
import { withoutPassword } from '../../config/setting.ts';
import { invalidAddress, parseAddress, readText, type ServerAddress } from '../../postgres/address.ts';

/** Where rows are in a PostgreSQL server. */
export interface PostgresAddress {
  /** Without the password, for messages. */
  name: string;
  connection: ServerAddress;
  /** A table or a view, as it is spelled in the catalogue; or a query. */
  rows: { table: string; schema: string | null } | { query: string };
  /** Null: `id` for whole numbers, otherwise `timestamp`. */
  order: 'id' | 'timestamp' | null;
  /** Age of a row, in seconds, from which no row with an earlier time is expected any more. */
  settle: number;
}

/** Rows of most applications are committed within seconds. */
const DEFAULT_SETTLE = '10';

const ROWS = {
  table: z.string().min(1).optional(),
  query: z.string().min(1).optional(),
  'query-file': z.string().min(1).optional(),
  order: z.enum(['id', 'timestamp']).optional(),
  settle: z
    .string()
    .regex(/^\d{1,5}$/, 'seconds, 0 to 99999')
    .default(DEFAULT_SETTLE)
    .transform(Number),
};
type RowParameters = z.output<z.ZodObject<typeof ROWS>>;

const FORM = 'postgres://user@host:port/database?table=…';

/** Of `postgres://user@host:port/database?table=events`. Throws `config_invalid`, without the password. */
export function parsePostgresAddress(text: string): PostgresAddress {
  const name = withoutPassword(text);
  const { servers, parameters } = parseAddress(text, ROWS, FORM);
  const [connection, ...others] = servers;
  if (others.length > 0) throw invalidAddress(name, FORM, `${servers.length} hosts`);
  const { order = null, settle } = parameters;
  return { name, connection: connection!, rows: rowsOf(parameters, name), order, settle };
}

function rowsOf(parameters: RowParameters, place: string): PostgresAddress['rows'] {
  const { table, query, 'query-file': file } = parameters;
  const given = [table, query, file].filter((one) => one !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none of them' : 'several of them';
    throw invalidAddress(place, 'one of the parameters table, query and query-file', found);
  }
  if (table !== undefined) return tableOf(table, place);
  return { query: (query ?? readText(file!, 'file', place)).trim().replace(/;$/, '') };
}

const IDENTIFIER = '"(?:[^"]|"")+"|[^".]+';
const TABLE = new RegExp(`^(?:(${IDENTIFIER})\\.)?(${IDENTIFIER})$`);

/** `events`, `registry.events`, `"a name.with a point"`: as they are in the catalogue, also without quotes. */
function tableOf(text: string, place: string): PostgresAddress['rows'] {
  const [, schema, table] = TABLE.exec(text) ?? [];
  if (table === undefined)
    throw invalidAddress(place, 'a table like events or registry.events', JSON.stringify(text));
  return { table: unquoted(table), schema: schema === undefined ? null : unquoted(schema) };
}

function unquoted(identifier: string): string {
  return identifier.startsWith('"') ? identifier.slice(1, -1).replaceAll('""', '"') : identifier;
}
