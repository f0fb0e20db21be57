import { z } from 'zod';

/** One thing that can be set: by a flag, else by an environment variable, else it is the default. */
export interface Setting<T = unknown> {
  /** Without the dashes: `ledger-key`. Null: by variable alone, since flags are seen by every user of the machine. */
  flag: string | null;
  env: string | null;
  /** As one would write it in the environment, `{port}` standing for another setting's value; null: nothing. */
  default: string | null;
  /** What a value may be, with its unit; said to whoever gives another one. */
  unit: string;
  /** What it does, and why the default is what it is. */
  description: string;
  /** A path. A default path is below the project's folder, a given one below the working directory. */
  path?: true;
  /** Never repeated in a message. */
  secret?: true;
  /** A flag without a value; in the environment `true` or `false`. */
  switch?: true;
  /** From the text that was given. */
  schema: z.ZodType<T, string>;
}

export const text = z.string().min(1);

/** What is an address and not a path; of a civic ledger, `civic+https://…`. */
const HAS_SCHEME = /^[a-z][a-z+.-]*:\/\//i;

/** `https://data.example.org/copy`: where files are read from, with a path where they are below one. */
export const address = text.regex(/^https?:\/\/[^?#\s@\\]+$/).refine((value) => URL.canParse(value));

/** The address of a whole host. Only one way to write it: it is compared, and other addresses are made by adding a path. */
export const origin = text.regex(/^https?:/).refine((value) => URL.parse(value)?.origin === value);

/** An address with `prefix` before it, or a path; what looks like an address and is none is not a path. */
export function pathOrAddress(prefix = '') {
  return text.refine(
    (value) =>
      !HAS_SCHEME.test(value) ||
      (value.startsWith(prefix) && address.safeParse(value.slice(prefix.length)).success),
  );
}

export const truth = z.enum(['true', 'false']).transform((value) => value === 'true');

/** A decimal number without sign or leading zeros. */
export function integer(min: number, max: number) {
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}
