import { readSettings, type Settings } from '../../simulation/levers.ts';
import {
  type Action,
  actInRun,
  MAX_ACTIONS,
  type Run,
  SEEDS,
  startRun,
  stepRun,
} from '../../simulation/run.ts';
import { scenarioNamed } from '../../simulation/scenarios.ts';
import { VERSIONS } from '../../simulation/versions.ts';

const WHOLE = /^\d{1,10}$/;
const NUMBER = /^-?\d+(\.\d+)?$/;
/** The seed of an address without one. */
const FIRST_SEED = 1;

/** The run in an address, as far as the address is valid. */
export interface Addressed {
  /** The run at each step: each tick, and after each action. The last one is where the address leads. */
  steps: readonly [Run, ...Run[]];
  /** What was wrong with the address, each with place, expected and found value. */
  faults: readonly string[];
  /** Whether the address was made with another version of the scenario. */
  isOther: boolean;
}

/**
 * The query of a run: `?scenario=model_drift&v=0a1b2c3d&seed=7&set=quorum+0.5&do=1+audit&tick=9`. `v` is the scenario’s
 * version, and each `set` a parameter of the model. Each `do` is a tick, the name of an action, and its parameters as alternating
 * names and values.
 */
export function formatRunAddress({ scenario, seed, settings, actions, world }: Run): string {
  const set = Object.entries(settings).map(([name, value]) => ['set', `${name} ${value}`]);
  const done = actions.map(({ tick, name, parameters }) => [
    'do',
    [tick, name, ...Object.entries(parameters).flat()].join(' '),
  ]);
  const start = [
    ['scenario', scenario.name],
    ['v', VERSIONS[scenario.name]!],
    ['seed', String(seed)],
  ];
  return `?${new URLSearchParams([...start, ...set, ...done, ['tick', String(world.tick)]])}`;
}

/** Null if the address names no scenario. Throws a SimulationFault for an unknown one. */
export function parseRunAddress(query: URLSearchParams): Addressed | null {
  const name = query.get('scenario');
  if (name === null) return null;
  const { horizon } = scenarioNamed(name);
  const faults: string[] = [];
  /** What `read` gives; null where it fails, with the reason among the faults. */
  const attempt = <T>(place: string, read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      faults.push(sentence(`${place}: ${(error as Error).message}`));
      return null;
    }
  };
  const version = query.get('v');
  const isOther = version !== null && version !== VERSIONS[name];
  const seed = attempt('seed', () => readWhole(query.get('seed'), FIRST_SEED, 0, SEEDS - 1));
  const settings = attempt('set', () => readSet(query.getAll('set')));
  // What precedes the first tick decides all that follows: a fault there leaves the run at its start.
  if (seed === null || settings === null) {
    const steps = [startRun(name, seed ?? FIRST_SEED, settings ?? {})] as const;
    return { steps, faults: [...faults, 'So the run is at its beginning.'], isOther };
  }
  const steps: [Run, ...Run[]] = [startRun(name, seed, settings)];
  const goTo = (tick: number) => {
    while (steps.at(-1)!.world.tick < tick && steps.at(-1)!.world.ending === null)
      steps.push(stepRun(steps.at(-1)!));
  };
  for (const [i, text] of query.getAll('do').entries()) {
    const taken = attempt(`do, number ${i + 1}`, () => {
      if (i >= MAX_ACTIONS) throw new SyntaxError(`expected at most ${MAX_ACTIONS} actions`);
      const action = readAction(text, steps.at(-1)!.world.tick, horizon);
      goTo(action.tick);
      return actInRun(steps.at(-1)!, action.name, action.parameters);
    });
    if (taken === null) return { steps, faults: [...faults, 'The run goes up to there.'], isOther };
    steps.push(taken);
  }
  const now = steps.at(-1)!.world.tick;
  goTo(attempt('tick', () => readWhole(query.get('tick'), now, now, horizon)) ?? now);
  return { steps, faults, isOther };
}

function readWhole(text: string | null, otherwise: number, least: number, most: number): number {
  if (text === null) return otherwise;
  const value = WHOLE.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new SyntaxError(`expected a whole number from ${least} to ${most}, found “${text}”`);
}

function readSet(texts: readonly string[]): Settings {
  const pairs = texts.map((text) => {
    const [name = '', value = '', ...rest] = text.split(' ');
    if (!NUMBER.test(value) || rest.length > 0)
      throw new SyntaxError(`expected the name of a parameter and a number, found “${text}”`);
    return [name, Number(value)];
  });
  return readSettings(Object.fromEntries(pairs));
}

function readAction(text: string, least: number, most: number): Action {
  const [tick = '', name = '', ...rest] = text.split(' ');
  if (!WHOLE.test(tick) || rest.length % 2 !== 0)
    throw new SyntaxError(`expected a tick, an action and its parameters, found “${text}”`);
  const pairs = rest.flatMap((key, at) => (at % 2 === 0 ? [[key, valueIn(rest[at + 1]!)]] : []));
  return { tick: readWhole(tick, 0, least, most), name, parameters: Object.fromEntries(pairs) };
}

function valueIn(text: string): number | string {
  return NUMBER.test(text) ? Number(text) : text;
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
