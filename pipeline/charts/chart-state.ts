import { CathedralError } from '../errors.ts';

/** The state that a reader chose; null means the chart's default. */
export interface ChartState {
  tab: 'chart' | 'table';
  /** Names of the series that are shown, sorted. */
  series: readonly string[] | null;
  /** First and last day, `YYYY-MM-DD`. */
  from: string | null;
  to: string | null;
  scale: 'linear' | 'log';
  /** A point that the reader adds to the reward curve: coordination score in points, and multiplier. */
  s: number | null;
  multiplier: number | null;
}

export type ControlName = keyof ChartState;

interface Control<T> {
  /** The allowed values, for error messages and documentation. */
  expected: string;
  default: T;
  /** Parses the values of a parameter, at least one; undefined if they are invalid. */
  parse(values: readonly string[]): T | undefined;
  format(value: T): string[];
}

/** Nobody picks more names than this by hand. */
const MAX_SERIES = 64;
const MAX_NAME_LENGTH = 200;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Every parameter of a chart's address, in canonical order. */
export const CONTROLS: { readonly [Name in ControlName]: Control<ChartState[Name]> } = {
  tab: choice(['chart', 'table']),
  series: {
    expected: `up to ${MAX_SERIES} names, each once`,
    default: null,
    parse: parseNames,
    format: (names) => [...(names ?? [])],
  },
  from: day(),
  to: day(),
  scale: choice(['linear', 'log']),
  s: number(0, 200),
  multiplier: number(1, 2),
};
const NAMES = Object.keys(CONTROLS) as ControlName[];

export const DEFAULT_STATE: ChartState = Object.freeze(
  Object.fromEntries(NAMES.map((name) => [name, CONTROLS[name].default])) as unknown as ChartState,
);

interface Controlled {
  id: string;
  controls: readonly ControlName[];
}

/**
 * The state in an address: `?series=burned&series=locked&from=2026-01-01`. Throws usage, with the allowed values, for an
 * unknown parameter, a repeated one, or an invalid value.
 */
export function parseChartState({ id, controls }: Controlled, parameters: URLSearchParams): ChartState {
  const allowed = allowedControls(controls);
  const state: Record<string, unknown> = { ...DEFAULT_STATE };
  for (const name of new Set(parameters.keys())) {
    if (!allowed.includes(name as ControlName))
      throw refused(id, 'parameters', `only ${allowed.join(', ')}`, name);
    const control = CONTROLS[name as ControlName];
    const values = parameters.getAll(name);
    const value = control.parse(values);
    if (value === undefined) throw refused(id, name, control.expected, values.join(', '));
    state[name] = value;
  }
  const { from, to } = state as unknown as ChartState;
  if (from !== null && to !== null && from > to) throw refused(id, 'to', `a day from ${from} on`, to);
  return state as unknown as ChartState;
}

/** The parameter that was refused, what it takes and what was found. Rethrows an error that is not about a state. */
export function faultOf(error: unknown): { name: string; expected: string; found: string } {
  // Not `instanceof`: in a page, the error may come from another script, which has a class of its own.
  const { code, place, expected, found } = error as Partial<CathedralError>;
  if (code !== 'usage' || place === undefined) throw error;
  return { name: place.slice(place.lastIndexOf(' ') + 1), expected: String(expected), found: String(found) };
}

/** The same as a sentence without a full stop: `from: expected a day, YYYY-MM-DD, found "soon"`. */
export function stateFault(error: unknown): string {
  const { name, expected, found } = faultOf(error);
  return `${name}: expected ${expected}, found ${JSON.stringify(found)}`;
}

/** The message that a page shows for an invalid state. */
export function refusedView(fault: string): string {
  return `The address asks for a view that this chart does not have: ${fault}. This is the nearest one that it has.`;
}

/** Parameters of an address of which those that are refused go one by one. With thousands, that would take a server half a second. */
const MOST_DROPPED = 2 * MAX_SERIES;

/**
 * Takes out of an address what was refused, so that the rest can be shown; of one that is too long for that, everything. Rethrows an error that
 * is not about one of its parameters.
 */
export function dropRefused(parameters: URLSearchParams, error: unknown): void {
  const { name, found } = faultOf(error);
  const before = parameters.size;
  if (before > MOST_DROPPED) for (const key of new Set(parameters.keys())) parameters.delete(key);
  else if (!parameters.has(name)) parameters.delete(found);
  // One series of several.
  else if (parameters.has(name, found)) parameters.delete(name, found);
  else parameters.delete(name);
  if (parameters.size === before) throw error;
}

/** The canonical parameters of a state: only those that differ from the default, in one order. Empty for the default. */
export function formatChartState({ controls }: Controlled, state: ChartState): string {
  const parameters = new URLSearchParams();
  for (const name of allowedControls(controls)) {
    const control = CONTROLS[name] as Control<unknown>;
    if (state[name] === control.default) continue;
    for (const value of control.format(state[name])) parameters.append(name, value);
  }
  return parameters.toString();
}

/** In the order of the table; every chart has `tab`. */
export function allowedControls(controls: readonly ControlName[]): ControlName[] {
  return NAMES.filter((name) => name === 'tab' || controls.includes(name));
}

function choice<T extends string>(options: readonly [T, ...T[]]): Control<T> {
  return {
    expected: options.join(' or '),
    default: options[0],
    parse: ([value, ...more]) => (more.length > 0 ? undefined : options.find((option) => option === value)),
    format: (value) => [value],
  };
}

function day(): Control<string | null> {
  return {
    expected: 'a day, YYYY-MM-DD',
    default: null,
    parse: ([value = '', ...more]) => (more.length === 0 && isDay(value) ? value : undefined),
    format: (value) => (value === null ? [] : [value]),
  };
}

/** Whether the calendar has this day: `Date` would turn 30 February into 2 March. */
function isDay(text: string): boolean {
  if (!DATE.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function number(least: number, most: number): Control<number | null> {
  return {
    expected: `a number from ${least} to ${most}, with at most two decimals`,
    default: null,
    parse([value = '', ...more]) {
      const isNumber = more.length === 0 && /^(0|[1-9]\d*)(\.\d{1,2})?$/.test(value);
      return isNumber && Number(value) >= least && Number(value) <= most ? Number(value) : undefined;
    },
    format: (value) => (value === null ? [] : [String(value)]),
  };
}

function parseNames(values: readonly string[]): string[] | undefined {
  const names = [...new Set(values)];
  const areNames = names.every((name) => name !== '' && name.length <= MAX_NAME_LENGTH);
  return areNames && names.length === values.length && names.length <= MAX_SERIES ? names.sort() : undefined;
}

function refused(id: string, name: string, expected: string, found: string): CathedralError {
  return new CathedralError('usage', { place: `chart ${id}, ${name}`, expected, found });
}
