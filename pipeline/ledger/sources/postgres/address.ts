import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { nearestName } from '../../../config/nearest-name.ts';
import { withoutPassword } from '../../../config/setting.ts';
import { CathedralError } from '../../../errors.ts';

/** Where rows are in a PostgreSQL server. */
export interface PostgresAddress {
  /** Without the password, for messages. */
  name: string;
  connection: {
    host: string;
    port: number;
    database: string;
    user: string | undefined;
    /** Without one: PGPASSWORD, or the password file. */
    password: string | undefined;
    ssl: false | { rejectUnauthorized?: boolean; ca?: string; checkServerIdentity?: () => undefined };
  };
  /** A table or a view, as it is spelled in the catalogue; or a query. */
  rows: { table: string; schema: string | null } | { query: string };
  /** Null: `id` for whole numbers, otherwise `timestamp`. */
  order: 'id' | 'timestamp' | null;
  /** Age of a row, in seconds, from which no row with an earlier time is expected any more. */
  settle: number;
}

/** Rows of most applications are committed within seconds. */
const DEFAULT_SETTLE = '10';

const Parameters = z.strictObject({
  table: z.string().min(1).optional(),
  query: z.string().min(1).optional(),
  'query-file': z.string().min(1).optional(),
  order: z.enum(['id', 'timestamp']).optional(),
  settle: z
    .string()
    .regex(/^\d{1,5}$/, 'seconds, 0 to 99999')
    .default(DEFAULT_SETTLE)
    .transform(Number),
  host: z.string().startsWith('/', 'the folder of a socket').optional(),
  sslmode: z.enum(['disable', 'require', 'verify-ca', 'verify-full']).optional(),
  sslrootcert: z.string().min(1).optional(),
});
type Parameters = z.output<typeof Parameters>;

/** Of `postgres://user@host:port/database?table=events`. Throws `config_invalid`, without the password. */
export function parsePostgresAddress(text: string): PostgresAddress {
  const url = URL.parse(text);
  const given = withoutPassword(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2 || url.hash !== '')
    throw wrong(given, 'postgres://user@host:port/database?table=…', 'another address');
  const parameters = parametersOf(url, given);
  const named = decode(url.hostname, given).replace(/^\[(.*)\]$/, '$1') || 'localhost';
  const { host = named, order = null, settle } = parameters;
  return {
    name: given,
    connection: {
      host,
      port: Number(url.port || 5432),
      database: decode(url.pathname.slice(1), given),
      user: decode(url.username, given) || undefined,
      password: decode(url.password, given) || undefined,
      ssl: tlsOf(parameters, host, given),
    },
    rows: rowsOf(parameters, given),
    order,
    settle,
  };
}

function parametersOf(url: URL, place: string): Parameters {
  const names = [...url.searchParams.keys()];
  const known = Object.keys(Parameters.shape);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    throw wrong(place, `the parameter ${near ?? `one of ${known.join(', ')}`}`, `the parameter ${name}`);
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw wrong(place, `the parameter ${twice} once`, 'several');
  const parsed = Parameters.safeParse(Object.fromEntries(url.searchParams));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = `${String(issue!.path[0])}`;
  throw wrong(place, `the parameter ${name}: ${issue!.message}`, JSON.stringify(url.searchParams.get(name)));
}

function rowsOf(parameters: Parameters, place: string): PostgresAddress['rows'] {
  const { table, query, 'query-file': file } = parameters;
  const given = [table, query, file].filter((one) => one !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none of them' : 'several of them';
    throw wrong(place, 'one of the parameters table, query and query-file', found);
  }
  if (table !== undefined) return tableOf(table, place);
  return { query: withoutEnd(query ?? readQuery(file!, place)) };
}

function readQuery(path: string, place: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw wrong(place, `a readable file ${path}`, `${code}`, cause);
  }
}

function withoutEnd(query: string): string {
  return query.trim().replace(/;$/, '');
}

const IDENTIFIER = '"(?:[^"]|"")+"|[^".]+';
const TABLE = new RegExp(`^(?:(${IDENTIFIER})\\.)?(${IDENTIFIER})$`);

/** `events`, `registry.events`, `"a name.with a point"`: as they are in the catalogue, also without quotes. */
function tableOf(text: string, place: string): PostgresAddress['rows'] {
  const [, schema, table] = TABLE.exec(text) ?? [];
  if (table === undefined) throw wrong(place, 'a table like events or registry.events', JSON.stringify(text));
  return { table: unquoted(table), schema: schema === undefined ? null : unquoted(schema) };
}

function unquoted(identifier: string): string {
  return identifier.startsWith('"') ? identifier.slice(1, -1).replaceAll('""', '"') : identifier;
}

/** Encryption is not needed to reach this machine, and required for any other. */
function tlsOf({ sslmode, sslrootcert }: Parameters, host: string, place: string) {
  const isLocal = host.startsWith('/') || /^(localhost|127\.[\d.]+|::1)$/.test(host);
  const mode = sslmode ?? (isLocal ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  const ca = sslrootcert === undefined ? {} : { ca: readCertificate(sslrootcert, place) };
  if (mode === 'require') return { ...ca, rejectUnauthorized: false };
  // Without the name of the host: any certificate of this authority.
  if (mode === 'verify-ca') return { ...ca, checkServerIdentity: () => undefined };
  return ca;
}

function readCertificate(path: string, place: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw wrong(place, `a readable certificate ${path}`, `${(cause as NodeJS.ErrnoException).code}`, cause);
  }
}

function decode(text: string, place: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw wrong(place, 'an address in which % is followed by two hex digits', 'another one', cause);
  }
}

function wrong(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found, cause });
}
