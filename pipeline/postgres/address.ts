import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { nearestName } from '../config/nearest-name.ts';
import { withoutPassword } from '../config/setting.ts';
import { errorOf } from '../errors.ts';

export const invalidAddress = errorOf('config_invalid');

/** How to connect to one server; a part of the options of `pg`. */
export interface ServerAddress {
  host: string;
  port: number;
  database: string;
  user: string | undefined;
  /** Without one: PGPASSWORD, or the password file. */
  password: string | undefined;
  ssl: false | { rejectUnauthorized?: boolean; ca?: string; checkServerIdentity?: () => undefined };
}

/** A database and the servers that may have it: a primary and its standbys. */
export interface DatabaseAddress {
  /** `postgres://user@host:5432,host2:5432/database`, for messages: without the password and the parameters. */
  name: string;
  /** Not empty. */
  servers: ServerAddress[];
}

const CONNECTION = {
  host: z.string().startsWith('/', 'the folder of a socket').optional(),
  sslmode: z.enum(['disable', 'require', 'verify-ca', 'verify-full']).optional(),
  sslrootcert: z.string().min(1).optional(),
};

/** Of `postgres://user@host:port,host2:port2/database?sslmode=…`. Throws `config_invalid`, without the password. */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const { name, servers } = parseAddress(text, {}, 'postgres://user@host:port,host2:port2/database');
  return { name, servers };
}

const ADDRESS =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>[^/?#]*))?@)?(?<hosts>[^@/?#]*)\/(?<database>[^/?#]+)(?:\?(?<query>[^#]*))?$/;
/** `host`, `host:port`, `[::1]:port` */
const HOST = /^(?<host>\[[\da-f:.]+\]|[^:[\]]*)(?::(?<port>\d{1,5}))?$/i;

/**
 * An address with the parameters of a connection and those of `shape`. `form` is what an error shows. Throws `config_invalid`, without
 * the password.
 */
export function parseAddress<S extends z.ZodRawShape>(text: string, shape: S, form: string) {
  const place = withoutPassword(text);
  const parts = ADDRESS.exec(text)?.groups;
  if (!parts) throw invalidAddress(place, form, 'another address');
  const parameters = parseParameters(new URLSearchParams(parts.query), { ...CONNECTION, ...shape }, place);
  const connection = parameters as z.output<z.ZodObject<typeof CONNECTION>>;
  const user = decode(parts.user ?? '', place) || undefined;
  const named = parts.hosts!.split(',').map((item) => {
    const host = HOST.exec(item)?.groups;
    if (!host || Number(host.port ?? 1) > 65_535 || Number(host.port ?? 1) === 0)
      throw invalidAddress(place, form, `${JSON.stringify(item)} as a host`);
    return {
      host: decode(host.host!, place).replace(/^\[(.*)\]$/, '$1') || 'localhost',
      port: Number(host.port ?? 5432),
    };
  });
  const servers = named.map(({ host: name, port }): ServerAddress => {
    const host = connection.host ?? name;
    return {
      host,
      port,
      database: decode(parts.database!, place),
      user,
      password: decode(parts.password ?? '', place) || undefined,
      ssl: tlsOf(connection, host, place),
    };
  });
  const hosts = servers.map(nameOfServer).join(',');
  const name = `postgres://${user === undefined ? '' : `${user}@`}${hosts}/${servers[0]!.database}`;
  return { name, servers, parameters: parameters as z.output<z.ZodObject<typeof CONNECTION & S>> };
}

/** `host:5432`, `[::1]:5432`, `/run/postgresql:5432` */
export function nameOfServer({ host, port }: ServerAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function parseParameters(given: URLSearchParams, shape: z.ZodRawShape, place: string): unknown {
  const names = [...given.keys()];
  const known = Object.keys(shape);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearestName(name, known);
    throw invalidAddress(
      place,
      `the parameter ${near ?? `one of ${known.join(', ')}`}`,
      `the parameter ${name}`,
    );
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw invalidAddress(place, `the parameter ${twice} once`, 'several');
  const parsed = z.strictObject(shape).safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = `${String(issue!.path[0])}`;
  throw invalidAddress(place, `the parameter ${name}: ${issue!.message}`, JSON.stringify(given.get(name)));
}

/** Encryption is not needed to reach this machine, and required for any other. */
function tlsOf(
  { sslmode, sslrootcert }: z.output<z.ZodObject<typeof CONNECTION>>,
  host: string,
  place: string,
): ServerAddress['ssl'] {
  const isLocal = host.startsWith('/') || /^(localhost|127\.[\d.]+|::1)$/.test(host);
  const mode = sslmode ?? (isLocal ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  const ca = sslrootcert === undefined ? {} : { ca: readText(sslrootcert, 'certificate', place) };
  if (mode === 'require') return { ...ca, rejectUnauthorized: false };
  // Without the name of the host: any certificate of this authority.
  if (mode === 'verify-ca') return { ...ca, checkServerIdentity: () => undefined };
  return ca;
}

/** A file that a parameter of the address names; `what` it is, for the error. */
export function readText(path: string, what: string, place: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw invalidAddress(place, `a readable ${what} ${path}`, `${code}`, cause);
  }
}

function decode(text: string, place: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw invalidAddress(place, 'an address in which % is followed by two hex digits', 'another one', cause);
  }
}
