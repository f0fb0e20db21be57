import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { CathedralError, type ErrorCode, type Fault } from '../errors.ts';
import { FILE_ADDRESS, FILE_SOURCE, SHARED_LEDGER } from './ledger-address.ts';
import { nearestName } from './nearest-name.ts';
import { PROJECT } from './project.ts';
import type { Option } from './setting.ts';
import { type Config, SETTINGS, type SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Options = Readonly<Record<string, Option>>;

/** Only this software uses this prefix, so an unknown variable with it is a misspelling. */
const PREFIX = 'CATHEDRAL_';

/** Characters of a value that a message shows. */
const MAX_SHOWN = 200;

/** The password in an address, which no message may quote. */
const PASSWORD = /^((?:[a-z][a-z+.-]*:\/*)?[^:@/]*):(?!\/).*@/is;

/**
 * What a shell takes away, and what else reads a file of variables leaves in a path: quotes, the line end of Windows, a tilde. Such a path would
 * silently be a new, empty folder.
 */
const FOR_A_SHELL = /^(["']).*\1$|\r$|^~(\/|$)|^\s+$/s;

/** What a command was given. */
export interface Given {
  /** Option → value; null where nothing was given and there is no default. */
  values: Record<string, unknown>;
  /** Option → text, for those given by flag or as an argument. */
  flags: ReadonlyMap<string, string>;
}

export interface Reading {
  args: readonly string[];
  /** Default: the environment of the process. */
  env?: Environment;
  /** Options that may be given without their flag, in this order. */
  positionals?: readonly string[];
  /** `keys issue`, for messages that point to its help. */
  command?: string;
}

/** Several arguments are wrong. The message has one line for each; place, expected and found are those of the first. */
class ArgumentErrors extends CathedralError {
  readonly errors: readonly CathedralError[];

  constructor(errors: readonly CathedralError[], command = '') {
    super(errors[0]!.code, errors[0]!);
    this.errors = errors;
    this.message = [
      `${errors.length} arguments are wrong`,
      ...errors.map(({ message }) => `  ${message}`),
      `  “${helpOf(command)}” lists all flags and has examples.`,
    ].join('\n');
  }
}

/** Throws ArgumentErrors for several errors, and the error itself where there is only one. */
export function throwAll(errors: readonly CathedralError[], command?: string): void {
  if (errors.length === 1) throw errors[0]!;
  if (errors.length > 1) throw new ArgumentErrors(errors, command);
}

function helpOf(command: string): string {
  return `cathedral ${command}${command && ' '}--help`;
}

/**
 * Reads options from arguments and the environment: a flag overrides its environment variable, which overrides the default.
 * Throws every error at once: usage for what is unknown, given twice or missing, and config_invalid for a value that is not
 * allowed.
 */
export function readOptions(options: Options, reading: Reading): Given {
  const { env = process.env } = reading;
  const errors = unknownVariables(env);
  const { flags, failed } = readFlags(options, reading, errors);
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    if (failed.has(name)) continue;
    try {
      values[name] = readOption(name, option, { ...reading, flags, env, options });
    } catch (error) {
      if (!(error instanceof CathedralError)) throw error;
      // The default of one option may contain the value of another, and fail with the same error.
      if (!errors.some(({ message }) => message === error.message)) errors.push(error);
    }
  }
  throwAll(errors, reading.command);
  return { values, flags };
}

/** The values of some settings, for programs other than the commands. */
export function readConfig<K extends SettingName>(
  names: readonly K[],
  args: readonly string[],
  env: Environment = process.env,
): Pick<Config, K> {
  const options = Object.fromEntries(names.map((name) => [name, SETTINGS[name]]));
  return readOptions(options, { args, env }).values as Pick<Config, K>;
}

/** The flags for a command that another one starts: those of `names` that were given, each once however often its name is there. */
export function flagsFor(names: readonly SettingName[], flags: ReadonlyMap<string, string>): string[] {
  return [...new Set(names)]
    .filter((name) => flags.has(name))
    .map((name) => {
      const setting: Option = SETTINGS[name];
      return setting.switch ? `--${setting.flag}` : `--${setting.flag}=${flags.get(name)}`;
    });
}

/** `--keys or CATHEDRAL_KEYS`: which option a path comes from; null if none. */
export function optionOf(
  path: string,
  options: Options,
  values: Readonly<Record<string, unknown>>,
): string | null {
  const set = Object.entries(options)
    .filter(([, option]) => option.path)
    .map(([name, option]) => ({ option, value: values[name] }))
    .filter(({ value }) => typeof value === 'string' && path.startsWith(value));
  const [longest] = set.sort((one, other) => String(other.value).length - String(one.value).length);
  if (!longest) return null;
  const { flag, env = null } = longest.option;
  return [flag && `--${flag}`, env].filter((name) => name !== null).join(' or ');
}

/** The PATH, where programs are looked up. */
export function programPath(env: Environment = process.env): string {
  return env.PATH ?? '';
}

interface Sources extends Reading {
  options: Options;
  flags: ReadonlyMap<string, string>;
  env: Environment;
}

function readOption(name: string, option: Option, sources: Sources): unknown {
  const { place, text, given } = findText(name, option, sources);
  const isRequired = option.required === true || option.requiredWhen?.(sources.flags);
  if (text === null && !isRequired) return null;
  if (text === null) throw wrong('usage', { place, expected: option.unit, found: 'no value' });
  if (option.path && given && FOR_A_SHELL.test(text)) {
    const expected = `${option.unit}, without quotes or a line end around it, and without ~, which only a shell replaces`;
    throw wrong('config_invalid', { place, expected, found: JSON.stringify(shortened(text)) });
  }
  const filled = given ? text : fillDefault(text, sources);
  const parsed = z.safeParse(option.schema, option.path ? absolute(filled, given, place) : filled);
  if (parsed.success && text !== '') return parsed.data;
  const isSecret = typeof option.secret === 'function' ? option.secret(text) : option.secret;
  const found =
    isSecret && text !== '' ? 'another value' : JSON.stringify(shortened(text.replace(PASSWORD, '$1:…@')));
  const [issue] = parsed.error?.issues ?? [];
  const isPrecise = issue?.code === 'custom' && issue.params?.isPrecise === true;
  throw wrong('config_invalid', { place, expected: isPrecise ? issue.message : option.unit, found });
}

/** Enough of a value to recognise it. */
function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

function findText(name: string, option: Option, { positionals = [], flags, env }: Sources) {
  const variable = option.env ?? null;
  const own = positionals.includes(name) ? argumentName(option) : `--${option.flag}`;
  const byFlag = flags.get(name);
  if (byFlag !== undefined) return { place: own, text: byFlag, given: true };
  const byVariable = variable === null ? undefined : env[variable];
  if (byVariable !== undefined) return { place: `${variable}`, text: byVariable, given: true };
  return { place: option.flag === null ? `${variable}` : own, text: option.default, given: false };
}

/** `FOLDER`: what help and messages call the argument that stands for `--folder`. */
export function argumentName({ flag }: Option): string {
  return `${flag}`.toUpperCase();
}

/** `http://localhost:{port}` with the value of that setting. Port 80 is in no address: browsers leave it out. */
function fillDefault(text: string, sources: Sources): string {
  const filled = text.replace(/\{(\w+)\}/, (_, other: SettingName) => {
    return `${readOption(other, sources.options[other] ?? SETTINGS[other], sources)}`;
  });
  return filled.replace(/^(http:.*):80$/, '$1');
}

function absolute(path: string, given: boolean, place: string): string {
  const [, kind, file] = FILE_SOURCE.exec(path) ?? [];
  if (file !== undefined) return `${kind}+file:${absolute(file, given, place)}`;
  if (path === '' || path === SHARED_LEDGER || /^[a-z+]+:\/\//.test(path) || FILE_ADDRESS.test(path))
    return path;
  // What the service writes is not for the folder of the software: an upgrade would replace it.
  if (!given && !path.startsWith('var/')) return resolve(PROJECT, path);
  try {
    return resolve(path);
  } catch {
    const expected = `a working directory, below which ${path} is`;
    throw wrong('config_invalid', { place, expected, found: 'one that was removed' });
  }
}

/** Between several values of one option: no argument and no file name can contain it. */
const BETWEEN = '\0';

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];
type OptionToken = Extract<Token, { kind: 'option' }>;

/** Option → text. Adds to `errors`; `failed` holds the options that they are about. */
function readFlags(options: Options, reading: Reading, errors: CathedralError[]) {
  const flags = new Map<string, string>();
  const failed = new Set<string>();
  const positionals = [...(reading.positionals ?? [])];
  const set = (name: string, place: string, text: string) => {
    if (!flags.has(name)) flags.set(name, text);
    else if (options[name]!.many) flags.set(name, `${flags.get(name)}${BETWEEN}${text}`);
    else errors.push(wrong('usage', { place, expected: 'one value', found: 'two' }));
  };
  // The value of an unknown flag looks like an argument, and is no second error.
  let isAfterUnknown = false;
  for (const token of tokensOf(options, reading.args)) {
    if (token.kind === 'option-terminator') continue;
    const isPerhapsValue = isAfterUnknown;
    isAfterUnknown = false;
    if (token.kind === 'positional') {
      const [name] = positionals;
      if (name === undefined || !options[name]!.many) positionals.shift();
      if (name !== undefined) set(name, argumentName(options[name]!), token.value);
      else if (!isPerhapsValue)
        errors.push(wrong('usage', { place: token.value, expected: 'a flag', found: 'an extra argument' }));
      continue;
    }
    const found = optionNamed(token.rawName, options);
    if (!found) {
      errors.push(unknownFlag(token.rawName, options, reading.command));
      isAfterUnknown = token.value === undefined;
      continue;
    }
    const [name, option] = found;
    const text = textOf(token, option);
    if (text instanceof CathedralError) {
      errors.push(text);
      failed.add(name);
      continue;
    }
    set(name, token.rawName, text);
  }
  return { flags, failed };
}

function tokensOf(options: Options, args: readonly string[]): Token[] {
  const known = Object.values(options).flatMap(({ flag, switch: isSwitch }) =>
    flag === null ? [] : [[flag, { type: isSwitch ? 'boolean' : 'string' } as const] as const],
  );
  const tokens = parseArgs({
    args: [...args],
    options: Object.fromEntries(known),
    strict: false,
    tokens: true,
  }).tokens!;
  // Node reads one dash as a group of letters, of which we have none: `-0.1` is a value, and `-out` one unknown flag.
  return tokens
    .filter(({ index }, at) => tokens[at - 1]?.index !== index)
    .map((token): Token => {
      if (token.kind !== 'option' || token.rawName.startsWith('--')) return token;
      const value = args[token.index]!;
      if (/^-\.?\d/.test(value)) return { kind: 'positional', index: token.index, value };
      return { ...token, rawName: value };
    });
}

function optionNamed(rawName: string, options: Options): [string, Option] | undefined {
  return Object.entries(options).find(([, { flag }]) => flag !== null && rawName === `--${flag}`);
}

function textOf({ rawName, value, inlineValue }: OptionToken, option: Option): string | CathedralError {
  if (option.switch) {
    if (value === undefined) return 'true';
    return wrong('usage', { place: rawName, expected: 'no value', found: JSON.stringify(value) });
  }
  // `--out --rebuild` is a forgotten value, not a folder of that name; `-` alone is standard input, and `-5` a number.
  const missing = typeof value !== 'string' || (!inlineValue && /^-[^\d.]/.test(value));
  return missing ? wrong('usage', { place: rawName, expected: option.unit, found: 'no value' }) : value;
}

function unknownFlag(place: string, options: Options, command = ''): CathedralError {
  const flags = Object.values(options).flatMap(({ flag }) => flag ?? []);
  const name = place.replace(/^--?/, '');
  const nearest = flags.includes(name)
    ? name
    : (withWord(name, flags) ?? nearestName(name, flags) ?? beginningWith(name, flags));
  const help = helpOf(command);
  const expected =
    nearest === null ? `a flag that “${help}” lists` : `--${nearest}, or a flag that “${help}” lists`;
  return wrong('usage', { place, expected, found: 'an unknown flag' });
}

/** `--days` is a word of `--key-days`. */
function withWord(name: string, flags: readonly string[]): string | null {
  return flags.find((flag) => flag.split('-').includes(name)) ?? null;
}

/** `--led` is the beginning of `--ledger`. */
function beginningWith(beginning: string, flags: readonly string[]): string | null {
  return beginning.length < 2 ? null : (flags.find((flag) => flag.startsWith(beginning)) ?? null);
}

function unknownVariables(env: Environment): CathedralError[] {
  const known = Object.values(SETTINGS).map((setting) => setting.env as string);
  const ours = known.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((place) => {
      const nearest = nearestName(place.slice(PREFIX.length), ours);
      const expected = nearest === null ? 'a variable that docs/cli.md lists' : `${PREFIX}${nearest}`;
      return wrong('usage', { place, expected, found: 'an unknown environment variable' });
    });
}

function wrong(code: ErrorCode, fault: Fault): CathedralError {
  return new CathedralError(code, fault);
}
