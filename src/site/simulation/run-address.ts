import { readSettings, type Settings } from '../../simulation/levers.ts';
import {
  type Action,
  actInRun,
  MAX_ACTIONS,
  type Recorded,
  type Run,
  SEEDS,
  startRun,
  stepRun,
} from '../../simulation/run.ts';
import { scenarioNamed } from '../../simulation/scenarios.ts';
import { VERSIONS } from '../../simulation/versions.ts';
import { type Shown, show } from '../../simulation/view.ts';

const WHOLE = /^\d{1,10}$/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Prefix of the kept run's parameters. */
const KEPT = 'kept_';
/** Length of a query that every browser, proxy and mail program accepts. */
export const LONGEST_ADDRESS = 2000;
/** The seed of an address without one. */
const FIRST_SEED = 1;

/** A run up to a tick: all that a link, a branch or a transcript needs. */
export type RecordedRun = Required<Omit<Recorded, 'settings'>> & Pick<Recorded, 'settings'>;

/** The run in an address, and the kept run to compare it with. */
export interface NamedRuns {
  run: RecordedRun;
  kept: RecordedRun | null;
  /** Whether the run has gone farther than its story. */
  isBegun: boolean;
  /** What was wrong with the address, each with place, expected and found value. The runs go as far as it was valid. */
  faults: readonly string[];
  /** The version of the scenario that the address was made with, if it is not this one. */
  otherVersion: string | null;
}

/**
 * The query of a run: `?scenario=model_drift&v=0a1b2c3d&seed=7&set=quorum+0.5&do=1+audit&tick=9`. `v` is the scenario’s
 * version, and each `set` a parameter of the model. Each `do` is a tick, the name of an action, and its parameters as alternating
 * names and values. The kept run follows in the same way as `kept_seed`, `kept_do`, `kept_tick`, and `kept_scenario` if it differs. It is left out if both together
 * exceed LONGEST_ADDRESS.
 */
export function formatRunAddress(run: RecordedRun, kept: RecordedRun | null = null): string {
  const alone = new URLSearchParams(parametersOf(run));
  if (!kept) return `?${alone}`;
  const isSame = kept.scenario === run.scenario;
  const beside = parametersOf(kept).filter(([name]) => !(isSame && (name === 'scenario' || name === 'v')));
  const both = `?${new URLSearchParams([...alone, ...beside.map(([name, value]) => [KEPT + name, value])])}`;
  return both.length > LONGEST_ADDRESS ? `?${alone}` : both;
}

function parametersOf({ scenario, seed, settings = {}, actions, tick }: RecordedRun): [string, string][] {
  const set = Object.entries(settings).map(([name, value]): [string, string] => ['set', `${name} ${value}`]);
  const done = actions.map(({ tick: at, name, parameters }): [string, string] => [
    'do',
    [at, name, ...Object.entries(parameters).flat()].join(' '),
  ]);
  return [
    ['scenario', scenario],
    ['v', VERSIONS[scenario]!],
    ['seed', String(seed)],
    ...set,
    ...done,
    ['tick', String(tick)],
  ];
}

/** Null if the address names no scenario. Throws a SimulationFault for an unknown one. */
export function parseRunAddress(parameters: URLSearchParams): NamedRuns | null {
  const scenario = parameters.get('scenario');
  if (scenario === null) return null;
  const faults: string[] = [];
  const run = readRun(parameters, scenario, '', faults);
  const version = parameters.get('v');
  return {
    run,
    kept: readKept(parameters, scenario, faults),
    isBegun: run.tick > 0 || run.actions.length > 0,
    faults,
    otherVersion: version !== null && version !== VERSIONS[scenario] ? version : null,
  };
}

function readKept(parameters: URLSearchParams, scenario: string, faults: string[]): RecordedRun | null {
  if (![...parameters.keys()].some((name) => name.startsWith(KEPT))) return null;
  try {
    return readRun(parameters, parameters.get(`${KEPT}scenario`) ?? scenario, KEPT, faults);
  } catch (error) {
    faults.push(sentence(`${KEPT}scenario: ${messageOf(error)}`));
    return null;
  }
}

/** The run as far as it is valid. What precedes the first tick decides all that follows: a fault there leaves the run at its start. */
function readRun(
  parameters: URLSearchParams,
  scenario: string,
  prefix: string,
  faults: string[],
): RecordedRun {
  scenarioNamed(scenario);
  const before = faults.length;
  const seed = readWhole(parameters.get(`${prefix}seed`), FIRST_SEED, SEEDS - 1, `${prefix}seed`, faults);
  const settings = settingsIn(parameters.getAll(`${prefix}set`), `${prefix}set`, faults);
  const start = { scenario, seed, settings, actions: [], tick: 0 };
  if (faults.length > before) {
    faults.push('So the run is at its beginning.');
    return start;
  }
  return readCourse(parameters, start, prefix, faults);
}

/** Takes one action after the other until one is impossible, and then goes on to the tick of the address. */
function readCourse(
  parameters: URLSearchParams,
  { scenario, seed, settings = {} }: RecordedRun,
  prefix: string,
  faults: string[],
): RecordedRun {
  let run = startRun(scenario, seed, settings);
  const { horizon } = run.scenario;
  const recorded = () => ({ scenario, seed, settings, actions: [...run.actions], tick: run.world.tick });
  for (const [i, text] of parameters.getAll(`${prefix}do`).entries()) {
    try {
      if (i >= MAX_ACTIONS) throw new SyntaxError(`expected at most ${MAX_ACTIONS} actions`);
      const { tick, name, parameters: given } = parseAction(text);
      const { tick: now } = run.world;
      if (tick < now || tick > horizon)
        throw new SyntaxError(`expected a tick from ${now} to ${horizon}, found ${tick}`);
      run = stepRun(run, tick - now);
      run = actInRun(run, name, given);
    } catch (error) {
      faults.push(
        `${sentence(`${prefix}do, number ${i + 1}: ${messageOf(error)}`)} The run goes up to there.`,
      );
      return recorded();
    }
  }
  const { tick: now } = run.world;
  const tick = readWhole(parameters.get(`${prefix}tick`), now, horizon, `${prefix}tick`, faults);
  if (tick < now) faults.push(`${prefix}tick: expected a number from ${now} to ${horizon}, found ${tick}.`);
  run = stepRun(run, Math.max(0, tick - now));
  if (run.world.tick < tick)
    faults.push(`${prefix}tick: expected at most ${run.world.tick}, the end of this run, found ${tick}.`);
  return recorded();
}

function readWhole(
  text: string | null,
  otherwise: number,
  most: number,
  name: string,
  faults: string[],
): number {
  if (text === null) return otherwise;
  if (WHOLE.test(text) && Number(text) <= most) return Number(text);
  const isTooLarge = WHOLE.test(text);
  const used = isTooLarge && name.endsWith('tick') ? most : otherwise;
  faults.push(`${name}: expected a whole number from 0 to ${most}, found “${text}”. It is taken as ${used}.`);
  return used;
}

/** Those that are valid. */
function settingsIn(texts: readonly string[], place: string, faults: string[]): Settings {
  let settings: Settings = {};
  for (const text of texts) {
    const [name = '', value = '', ...rest] = text.split(' ');
    try {
      if (!NUMBER.test(value) || rest.length > 0)
        throw new SyntaxError(`expected the name of a parameter and a number, found “${text}”`);
      settings = { ...settings, ...readSettings({ [name]: Number(value) }) };
    } catch (error) {
      faults.push(sentence(`${place}: ${messageOf(error)}`));
    }
  }
  return settings;
}

function parseAction(text: string): Action {
  const [tick = '', name = '', ...rest] = text.split(' ');
  if (rest.length % 2 !== 0) throw new SyntaxError(`expected names with values, found “${text}”`);
  const parameters: Record<string, string | number> = Object.create(null);
  for (let at = 0; at < rest.length; at += 2) {
    const value = rest[at + 1]!;
    parameters[rest[at]!] = NUMBER.test(value) ? Number(value) : value;
  }
  if (!WHOLE.test(tick))
    throw new SyntaxError(`expected a tick, an action and its parameters, found “${text}”`);
  return { tick: Number(tick), name, parameters: { ...parameters } };
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}

/** The state of a recorded run after each tick, from tick 0 on. Throws a SimulationFault like replay. */
export function courseOf({ scenario, seed, settings, actions, tick }: RecordedRun): Run[] {
  const course: Run[] = [];
  let run = acted(startRun(scenario, seed, settings), actions);
  for (;;) {
    course.push(run);
    if (run.world.tick >= tick || run.world.ending !== null) return course;
    run = acted(stepRun(run), actions);
  }
}

/** What is shown of a recorded run after each tick. */
export function historyOf(run: RecordedRun): Shown[] {
  return courseOf(run).map((one) => show(one, { outlooks: false }));
}

function acted(run: Run, actions: RecordedRun['actions']): Run {
  return actions
    .filter(({ tick }) => tick === run.world.tick)
    .reduce((now, { name, parameters }) => actInRun(now, name, parameters), run);
}

/** The run up to a tick, without later actions: the start of another branch. */
export function upTo(run: RecordedRun, tick: number): RecordedRun {
  return { ...run, tick, actions: run.actions.filter((action) => action.tick < tick) };
}

/** The tick at which there is something new for the reader: a decision opens, there is a vote, or the run ends. */
export function nextStop(run: Run): number {
  let next = run;
  while (next.world.ending === null) {
    const { open, deliberation } = next.world;
    next = stepRun(next);
    if (hasNews({ open, deliberation }, next.world)) break;
  }
  return next.world.tick;
}

export function hasNews(before: Pick<Run['world'], 'open' | 'deliberation'>, now: Run['world']): boolean {
  return (
    now.ending !== null ||
    now.open.some(({ name }) => !before.open.some((one) => one.name === name)) ||
    now.deliberation.votes.length > before.deliberation.votes.length ||
    now.deliberation.status !== before.deliberation.status
  );
}
