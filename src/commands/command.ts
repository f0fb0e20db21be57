import { type Environment, type Given, readOptions, throwAll } from '../../pipeline/config/config.ts';
import { type Flag, type Option, truth, type ValueOf } from '../../pipeline/config/setting.ts';
import { type Config, SETTINGS, type SettingName } from '../../pipeline/config/settings.ts';
import type { CathedralError } from '../../pipeline/errors.ts';
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

export type Flags = Readonly<Record<string, Flag>>;

/** 0 done; 1 the work failed or found something wrong; 2 some input could not be read; 3 something cannot be checked; 4 a host did not answer. */
export type ExitStatus = 0 | 1 | 2 | 3 | 4;

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
  /** Further errors in the arguments: combinations that are not allowed. */
  check?(values: never): readonly CathedralError[];
  run(values: never, context: Context): Promise<ExitStatus>;
}

interface Definition<
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
  positionals?: readonly (S | keyof F)[];
  check?(values: Values): readonly CathedralError[];
  run(values: Values, context: Context): Promise<ExitStatus>;
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
>(definition: Definition<S, F, O, R>): Command {
  const { settings = [], optional = {}, required = {}, flags = {}, positionals = [], ...rest } = definition;
  const options: Record<string, Option> = { ...flags };
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
  return { ...rest, options, positionals: positionals as string[] } as Command;
}

/** A description without what it says about the default. */
function withoutDefault(description: string): string {
  const sentences = description.split(/(?<=\.) (?=[A-Z])/);
  return sentences.filter((sentence) => !/^(The default|Without it)\b/.test(sentence)).join(' ');
}

/** The values of a command's options. Throws every error in its arguments at once. */
export function readArguments(
  name: string,
  { options, positionals, check }: Command,
  args: readonly string[],
  env?: Environment,
): Given {
  const given = readOptions(options, { args, positionals, command: name, ...(env && { env }) });
  throwAll(check?.(given.values as never) ?? [], name);
  return given;
}

/** A flag without a value. */
export const SWITCH = { default: 'false', unit: 'true or false', switch: true, schema: truth } as const;

/** For commands whose result a program may read. */
export const json = {
  flag: 'json',
  description: 'Prints the result as one JSON document.',
  ...SWITCH,
} as const satisfies Flag;

/** For commands that import. */
export const importFull = {
  flag: 'full',
  description:
    'Reads all of a remote ledger or a table, and compares every event with the one that was imported before.',
  ...SWITCH,
} as const satisfies Flag;

/** The settings of the commands that keep a ledger, with what they take without them. */
export const OWN_KEYS = {
  ledgerKey: 'Without it, the file of the ledger’s name with `.vkey` after it.',
  ledgerSigningKey: 'Without it, the file of the ledger’s name with `.key` after it.',
} as const;

/** The one JSON document of a result. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
