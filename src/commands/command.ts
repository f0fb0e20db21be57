import type { z } from 'zod';
import { type Environment, type Given, readOptions, throwAll } from '../../pipeline/config/config.ts';
import { kebabCase, type Option, SWITCH, text, texts } from '../../pipeline/config/setting.ts';
import { type Config, SETTINGS, type SettingName } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { Progress } from './progress.ts';

/** What a command needs from its process. */
export interface Context {
  /** Options given as flags or arguments, name → text, for a command that starts another one. */
  flags: ReadonlyMap<string, string>;
  now: () => number;
  /** Resolves after this many ms. */
  wait: (ms: number) => Promise<void>;
  /** Which permissions the user takes from new files. The program takes them from no public file, since web servers read those. */
  umask: number;
  progress: Progress;
  /** Prints a line of the result to standard output. */
  print: (line: string) => void;
  /** Prints text of a long result to standard output; resolves when there is room for more. */
  write: (text: string) => Promise<void>;
  /**
   * Aborts on SIGINT, SIGTERM or SIGHUP, so that a command that asks for it can stop in order. Until a command asks, the
   * process exits immediately, which every command must survive.
   */
  untilStopped: () => AbortSignal;
}

/** 0 done; 1 the work failed or found something wrong; 2 some input could not be read; 3 something cannot be checked; 4 a host did not answer. */
type ExitStatus = 0 | 1 | 2 | 3 | 4;

/** What a command found out. */
export interface Result {
  /** For programs: what --json prints. */
  facts: unknown;
  /** For people: what is printed without it. */
  lines: string | readonly string[];
  /** Default 0. */
  status?: ExitStatus;
}

/**
 * A value that one command takes, by flag only. Left out, the flag is the name in kebab case, there is no default, and any text is allowed.
 */
export interface Flag
  extends Pick<Option, 'description' | 'required' | 'requiredWhen' | 'path' | 'many' | 'secret' | 'switch'> {
  flag?: string;
  default?: string;
  unit?: string;
  schema?: z.core.$ZodType<unknown, string>;
}

export type Flags = Readonly<Record<string, Flag>>;

type Parsed<F extends Flag> = F extends { schema: infer S extends z.core.$ZodType }
  ? z.output<S>
  : F extends { many: true }
    ? string[]
    : string;

/** What a command gets for a flag: null where there is no default and nothing was given. */
type ValueOf<F extends Flag> = F extends { switch: true }
  ? boolean
  : Parsed<F> | (F extends { default: string } | { required: true } ? never : null);

/** A command as the tables, the help and `main` see it. */
export interface Command {
  /** One sentence: what it does, and of what kind it is where several look alike. */
  summary: string;
  /** Further paragraphs of its help: when to use it, and when to use another command. */
  details?: string;
  /** At least one command line, as one would type it. */
  examples: readonly string[];
  /** Every option by its name, each as this command takes it. */
  options: Readonly<Record<string, Option>>;
  /** Options that may be given without their flag, in this order. */
  positionals: readonly string[];
  /** It reads, and creates no file or folder. */
  isReader?: true;
  /** It runs until it is stopped, and its standard error is a log: one JSON object per line. */
  isService?: true;
  /** Pairs of options of which only one may be given. */
  contradictions: readonly Contradiction[];
  /** Further errors in the arguments. */
  check?(values: never): Checked;
  run(values: never, context: Context): Promise<ExitStatus>;
}

/** The errors of arguments. Like `run`, a check loads what it needs. */
type Checked = readonly CathedralError[] | Promise<readonly CathedralError[]>;

/** The first is refused beside the second, for a reason if that is not plain. */
type Contradiction = readonly [refused: string, beside: string, reason?: string];

interface Declaration<
  S extends SettingName,
  F extends Flags,
  O extends SettingName,
  R extends Required<SettingName>,
  Values = ValuesOf<S, F, O, R>,
> extends Pick<Command, 'summary' | 'details' | 'examples' | 'isReader' | 'isService'> {
  settings?: readonly S[];
  /** Settings that it takes without their default; each with what happens where nothing is given. */
  optional?: Readonly<Record<O, string>>;
  /** Of `settings`, those without a default that it needs: true, or the condition under which it does not. */
  required?: R;
  flags?: F;
  positionals?: readonly NoInfer<S | O | keyof F>[];
  contradictions?: readonly (readonly [NoInfer<S | O | keyof F>, NoInfer<S | O | keyof F>, string?])[];
  check?(values: Values): Checked;
  /** The work. It loads what it needs, so that the help of all commands loads none of it. */
  run(values: Values, context: Context): Promise<ExitStatus | Result>;
}

type Required<S extends SettingName> = Readonly<Partial<Record<S, true | string>>>;

type ValuesOf<S extends SettingName, F extends Flags, O extends SettingName, R> = {
  [K in S]: K extends keyof R ? (R[K] extends true ? NonNullable<Config[K]> : Config[K]) : Config[K];
} & { [K in O]: Config[K] | null } & { -readonly [K in keyof F]: ValueOf<F[K]> };

/** The types of a command's values follow from its settings and flags. */
export function defineCommand<
  const S extends SettingName = never,
  const F extends Flags = Record<never, never>,
  const O extends SettingName = never,
  const R extends Required<SettingName> = Record<never, never>,
>(declaration: Declaration<S, F, O, R>): Command {
  const { settings = [], optional = {}, required = {}, flags = {}, run, ...rest } = declaration;
  const options: Record<string, Option> = {};
  for (const [name, flag] of Object.entries<Flag>(flags)) options[name] = optionOf(name, flag);
  const needs: Required<SettingName> = required;
  for (const name of settings) {
    const need = needs[name];
    options[name] = need === undefined ? SETTINGS[name] : { ...SETTINGS[name], required: need };
  }
  for (const [name, without] of Object.entries<string>(optional)) {
    const setting: Option = SETTINGS[name as SettingName];
    const description = `${withoutDefault(setting.description)} ${without}`;
    options[name] = { ...setting, default: null, description };
  }
  return {
    ...{ positionals: [], contradictions: [] },
    ...(rest as Pick<Command, 'summary' | 'examples'>),
    options,
    async run(values: never, context: Context) {
      const done = await run(values, context);
      if (typeof done === 'number') return done;
      present(done, values, context);
      return done.status ?? 0;
    },
  };
}

function optionOf(name: string, flag: Flag): Option {
  const kind = flag.switch ? SWITCH : { default: null, unit: 'text', schema: flag.many ? texts : text };
  return { flag: kebabCase(name), ...kind, ...flag };
}

/** A description without what it says about the default. */
function withoutDefault(description: string): string {
  const sentences = description.split(/(?<=\.) (?=[A-Z])/);
  return sentences.filter((sentence) => !/^(The default|Without it)\b/.test(sentence)).join(' ');
}

/** Prints a result, for programs where --json is given. */
export function present(
  { facts, lines }: Result,
  { json }: { json?: boolean },
  { progress, print }: Pick<Context, 'progress' | 'print'>,
): void {
  progress.end();
  if (json) print(formatJson(facts));
  else for (const line of [lines].flat()) print(line);
}

/** The values of a command's options. Rejects with every error in its arguments at once. */
export async function readArguments(
  name: string,
  { options, positionals, contradictions, check }: Command,
  args: readonly string[],
  env?: Environment,
): Promise<Given> {
  const given = readOptions(options, { args, positionals, command: name, ...(env && { env }) });
  const { values } = given;
  const isGiven = (option: string) => values[option] !== null && values[option] !== false;
  const both = contradictions.filter(([refused, beside]) => isGiven(refused) && isGiven(beside));
  const contradicted = both.map(([refused, beside, reason]) => {
    const expected = `not to be used with --${options[beside]!.flag}${reason === undefined ? '' : `, ${reason}`}`;
    const place = `--${options[refused]!.flag}`;
    return new CathedralError('config_invalid', { place, expected, found: 'both' });
  });
  throwAll([...contradicted, ...((await check?.(values as never)) ?? [])], name);
  return given;
}

/** The errors of reading several values that are not parsed one by one, for `check`. Throws any other error. */
export function errorsOf(...reads: readonly (() => unknown)[]): CathedralError[] {
  return reads.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      if (error instanceof CathedralError) return [error];
      throw error;
    }
  });
}

/** For commands whose result a program may read. */
export const json = {
  description: 'Prints the result as one JSON document.',
  switch: true,
} as const satisfies Flag;

/** For commands that import. */
export const importFull = {
  flag: 'full',
  description:
    'Reads all of a remote ledger or a table, and compares every event with the one that was imported before.',
  switch: true,
} as const satisfies Flag;

/** The one JSON document of a result. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
