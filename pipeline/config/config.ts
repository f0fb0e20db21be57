import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CathedralError } from '../errors.ts';
import { nearestName } from './nearest-name.ts';
import type { Setting } from './setting.ts';
import { type Config, SETTINGS, type SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where defaults that are paths are below: the folder of package.json. */
export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** Environment variables with this prefix are ours, so one that is not known is a misspelling. */
const PREFIX = 'CATHEDRAL_';

/**
 * The settings `names` of a command from its flags and the environment; a flag goes before a variable. Throws usage for what
 * is not understood, naming the nearest that is, and config_invalid for a value that is not allowed.
 */
export function readConfig<K extends SettingName>(
  names: readonly K[],
  args: readonly string[],
  env: Environment = process.env,
): Pick<Config, K> {
  assertVariables(env);
  const flags = readFlags(names, args);
  const values = names.map((name) => [name, readSetting(name, flags, env)]);
  return Object.fromEntries(values) as Pick<Config, K>;
}

/** The flags among `args` that set one of `names`, for a command that is started by another. Values are not checked. */
export function flagsFor(
  names: readonly SettingName[],
  all: readonly SettingName[],
  args: readonly string[],
): string[] {
  const wanted = new Set<string | null>(names.map((name) => SETTINGS[name].flag));
  return [...readFlags(all, args)]
    .filter(([flag]) => wanted.has(flag))
    .map(([flag, value]) => (isSwitch(flag) ? `--${flag}` : `--${flag}=${value}`));
}

/** `--keys or CATHEDRAL_KEYS`: which of the settings `names` a path comes from; null where none. */
export function settingOf(
  path: string,
  names: readonly SettingName[],
  config: Partial<Record<SettingName, unknown>>,
): string | null {
  const set = names
    .filter((name) => (SETTINGS[name] as Setting).path)
    .map((name) => ({ setting: SETTINGS[name] as Setting, value: config[name] }))
    .filter(({ value }) => typeof value === 'string' && path.startsWith(value));
  const [longest] = set.sort((one, other) => String(other.value).length - String(one.value).length);
  if (!longest) return null;
  const { flag, env } = longest.setting;
  return [flag && `--${flag}`, env].filter((name) => name !== null).join(' or ');
}

/** The PATH, where programs are looked for. */
export function programPath(env: Environment = process.env): string {
  return env.PATH ?? '';
}

function readSetting(name: SettingName, flags: ReadonlyMap<string, string>, env: Environment): unknown {
  const setting: Setting = SETTINGS[name];
  const { place, text, given } = findText(setting, flags, env);
  if (text === null) return null;
  const filled = given ? text : fill(text, flags, env);
  const parsed = setting.schema.safeParse(setting.path ? absolute(filled, given) : filled);
  if (parsed.success && text !== '') return parsed.data;
  const found = setting.secret ? 'something else' : JSON.stringify(text);
  throw new CathedralError('config_invalid', { place, expected: setting.unit, found });
}

function findText(setting: Setting, flags: ReadonlyMap<string, string>, env: Environment) {
  const { flag, env: variable } = setting;
  const byFlag = flag === null ? undefined : flags.get(flag);
  if (byFlag !== undefined) return { place: `--${flag}`, text: byFlag, given: true };
  const byVariable = variable === null ? undefined : env[variable];
  if (byVariable !== undefined) return { place: `${variable}`, text: byVariable, given: true };
  return { place: flag === null ? `${variable}` : `--${flag}`, text: setting.default, given: false };
}

/** `http://localhost:{port}` with the port that is set. */
function fill(text: string, flags: ReadonlyMap<string, string>, env: Environment): string {
  return text.replace(/\{(\w+)\}/, (_, other: SettingName) => `${readSetting(other, flags, env)}`);
}

function absolute(path: string, given: boolean): string {
  if (path === '' || /^[a-z+]+:\/\//.test(path)) return path;
  return given ? resolve(path) : resolve(PROJECT, path);
}

/** Flag → its text. */
function readFlags(names: readonly SettingName[], args: readonly string[]): Map<string, string> {
  const settings = names.map((name): Setting => SETTINGS[name]).filter(hasFlag);
  const options = settings.map(({ flag, switch: isSwitch }) => {
    return [flag, { type: isSwitch ? 'boolean' : 'string' }] as const;
  });
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    strict: false,
    tokens: true,
  });
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw usage(token.value, 'a flag', 'an argument without one');
    const setting = settings.find(({ flag }) => token.rawName === `--${flag}`);
    if (!setting) throw unknownFlag(token.rawName, settings);
    if (flags.has(setting.flag)) throw usage(token.rawName, 'once', 'twice');
    flags.set(setting.flag, flagText(setting, token));
  }
  return flags;
}

type Flagged = Setting & { flag: string };

function hasFlag(setting: Setting): setting is Flagged {
  return setting.flag !== null;
}

function flagText(
  setting: Setting,
  token: { rawName: string; value?: string | undefined; inlineValue?: boolean | undefined },
): string {
  const { rawName, value, inlineValue } = token;
  if (setting.switch) {
    if (value === undefined) return 'true';
    throw usage(rawName, 'no value', JSON.stringify(value));
  }
  // `--out --rebuild` is a forgotten value, not a folder of that name; `-` alone is standard input.
  const missing = typeof value !== 'string' || (!inlineValue && /^-./.test(value));
  if (missing) throw usage(rawName, setting.unit, 'no value');
  return value;
}

function unknownFlag(flag: string, settings: readonly Flagged[]): CathedralError {
  const known = settings.map((setting) => setting.flag);
  return unknown(flag, 'an unknown flag', '--', known);
}

function assertVariables(env: Environment): void {
  const known = Object.values(SETTINGS).flatMap(({ env: variable }) => variable ?? []) as string[];
  const ours = known.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || known.includes(name)) continue;
    throw unknown(name, 'an unknown variable in the environment', PREFIX, [...new Set(ours)]);
  }
}

function unknown(place: string, found: string, prefix: string, known: readonly string[]): CathedralError {
  const nearest = nearestName(place.replace(prefix, ''), known);
  const all = known.map((name) => `${prefix}${name}`).join(', ');
  return usage(place, nearest === null ? all || 'none' : `perhaps ${prefix}${nearest}`, found);
}

function isSwitch(flag: string): boolean {
  return Object.values(SETTINGS).some((setting: Setting) => setting.flag === flag && setting.switch);
}

function usage(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('usage', { place, expected, found });
}
