import { z } from 'zod';
import { visible } from '../words/hidden.ts';

/** A value that a user gives as text, and its documentation. */
export interface Option<T = unknown> {
  /** Without the dashes: `ledger-key`. Null: by environment variable only, because every user of a machine sees flags. */
  flag: string | null;
  env?: string | null;
  /** As a user would write it; `{port}` stands for the value of another setting. Null: there is no default. */
  default: string | null;
  /** The allowed values with their unit. Error messages quote it. */
  unit: string;
  /** What it does, and why the default is what it is. */
  description: string;
  /** True, or the condition under which it may be missing: `unless --draft contains it`. */
  required?: true | string;
  /** For a condition that depends on other flags (name → text): whether it may not be missing. */
  requiredWhen?: (flags: ReadonlyMap<string, string>) => boolean;
  /** A path. A default path that is not below `var/` is relative to the project's folder, any other to the working directory. */
  path?: true;
  /** It may be given several times; the schema gets the values with a NUL between them. */
  many?: true;
  /** Messages never quote it, or no text of that kind. */
  secret?: true | ((text: string) => boolean);
  /** A flag without a value; in the environment `true` or `false`. */
  switch?: true;
  /** Parses the text. */
  schema: z.core.$ZodType<T, string>;
}

/** A value that an operator configures: a flag overrides the environment variable, which overrides the default. */
export interface Setting<T = unknown> extends Option<T> {
  env: string;
  /** The heading that it stands under in `--help`. */
  group: string;
}

/** What a table says of a setting; `settings` fills in the rest. */
type Declared = Pick<Setting, 'unit' | 'description'> & Partial<Setting<unknown>>;

type Filled<D extends Declared> = Omit<Setting, 'default' | 'schema'> & {
  default: D extends { default: infer Text extends string } ? Text : null;
  schema: D extends { schema: infer S extends z.ZodType<unknown, string> } ? S : typeof text;
};

/**
 * Settings under one heading. Left out, the flag is the name in kebab case, the variable has the name after `CATHEDRAL_`, there is no default, and
 * any text is allowed.
 */
export function settings<const D extends Readonly<Record<string, Declared>>>(group: string, declared: D) {
  const all = Object.entries<Declared>(declared).map(([name, setting]) => {
    const env = `CATHEDRAL_${kebabCase(name).replaceAll('-', '_').toUpperCase()}`;
    return [name, { group, flag: kebabCase(name), env, default: null, schema: text, ...setting }];
  });
  return Object.fromEntries(all) as { readonly [Name in keyof D]: Filled<D[Name]> };
}

/** `ledgerKey` → `ledger-key` */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** What a command gets for an option: null where there is no default and nothing was given. */
export type ValueOf<O extends Option> =
  | z.output<O['schema']>
  | (O extends { default: null } ? (O extends { required: true } ? never : null) : never);

export const text = z.string().min(1);

/** A secret that is sent in a header, which takes no other characters: an error of the system would quote it. */
export const headerSecret = text.regex(/^[!-~]+$/);

/** `https://…`, and for a remote ledger `civic+https://…`: an address rather than a path. */
const HAS_SCHEME = /^[a-z][a-z+.-]*:\/\//i;

/** An address for messages: without a password, and of the parameters only the one that says where rows are. */
export function withoutPassword(value: string): string {
  const url = URL.parse(value);
  // Perhaps a character of the password should have been escaped.
  if (!url || url.host === '') return value.replace(/:\/\/.*@/s, '://…@');
  const user = url.username && `${url.username}@`;
  const rows = ['table', 'query-file', 'query'].find((name) => url.searchParams.has(name));
  const text = rows && url.searchParams.get(rows)!.replaceAll(/\s+/g, ' ').slice(0, 80);
  return `${url.protocol}//${user}${url.host}${url.pathname}${rows ? `?${rows}=${text}` : ''}`;
}

/** `https://data.example.org/copy`: where files are read from. */
export const address = text
  .regex(/^https?:\/\/[^?#\s@\\]+$/)
  .refine((value) => URL.canParse(value))
  .check(visible);

/** `s3+https://objects.example.org/releases/north?region=eu-west-1`; `pipeline/objects/` reads its parts. */
export const objectAddress = text
  .regex(/^s3\+https?:\/\/[^#\s]+$/)
  .refine((value) => URL.canParse(value.slice('s3+'.length)));

/** `https://data.example.org`: a whole host, in one spelling only, because it is compared and paths are appended to it. */
export const origin = text.regex(/^https?:/).refine((value) => URL.parse(value)?.origin === value);

export function hasScheme(value: string): boolean {
  return HAS_SCHEME.test(value);
}

/** An address or a path. A malformed address is refused instead of being taken for a path. */
export function pathOrAddress() {
  return text.refine((value) => !hasScheme(value) || address.safeParse(value).success);
}

/** Where stores are: a PostgreSQL database, or a folder, whose path has no colon, so that a mistyped address is not taken for one. */
export const storePlace = text.refine((value) => !value.includes(':') || /^postgres(?:ql)?:\/\//.test(value));

export const truth = z.enum(['true', 'false']).transform((value) => value === 'true');

/** A decimal number without sign or leading zeros. */
export function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

/** Several values of an option with `many`. */
export const texts = text.transform((values) => values.split('\0'));

/** A switch by flag and environment variable. */
export const SWITCH = { default: 'false', unit: 'true or false', switch: true, schema: truth } as const;

/** Of an option that takes a number: `seconds, 0 to 60`. */
export function numbers(of: string, min: number, max: number) {
  return { unit: `${of}, ${min} to ${max}`, schema: integer(min, max) };
}
