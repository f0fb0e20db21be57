import { SimulationFault } from '../../simulation/fault.ts';
import { type Action, type Recorded, type Run, replay, startRun } from '../../simulation/run.ts';
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
  const version = query.get('v');
  const isOther = version !== null && version !== VERSIONS[name];
  const { recorded, faults } = readRecorded(name, query);
  const steps: Run[] = [];
  try {
    replay(recorded, (step) => steps.push(step));
  } catch (error) {
    if (!(error instanceof SimulationFault) || error.code === 'unknown_scenario') throw error;
    // It comes before whatever could not be read.
    faults.unshift(
      error.message.replace(/^actions\.(\d+)\.(?:tick: )?/, (_, i) => `do, number ${Number(i) + 1}: `),
    );
  }
  const [first = startRun(name, FIRST_SEED), ...others] = steps;
  if (faults.length > 0) faults.push('The run goes up to there.');
  return { steps: [first, ...others], faults, isOther };
}

/** What an address says, up to the first thing that cannot be read. */
function readRecorded(scenario: string, query: URLSearchParams): { recorded: Recorded; faults: string[] } {
  const recorded = { scenario, seed: FIRST_SEED, settings: {}, actions: [] as Action[] };
  const whole = (name: 'seed' | 'tick') => {
    const text = query.get(name);
    if (text === null) return {};
    if (WHOLE.test(text)) return { [name]: Number(text) };
    throw new SyntaxError(`${name}: expected a whole number of at most ten digits, found “${text}”.`);
  };
  try {
    Object.assign(recorded, whole('seed'), {
      settings: Object.fromEntries(query.getAll('set').map(readSetting)),
    });
    for (const [i, text] of query.getAll('do').entries()) recorded.actions.push(readAction(text, i + 1));
    return { recorded: { ...recorded, ...whole('tick') }, faults: [] };
  } catch (error) {
    return { recorded, faults: [(error as Error).message] };
  }
}

function readSetting(text: string): [name: string, value: number] {
  const [name = '', value = '', ...rest] = text.split(' ');
  if (NUMBER.test(value) && rest.length === 0) return [name, Number(value)];
  throw new SyntaxError(`set: expected the name of a parameter and a number, found “${text}”.`);
}

function readAction(text: string, place: number): Action {
  const [tick = '', name = '', ...rest] = text.split(' ');
  if (!WHOLE.test(tick) || rest.length % 2 !== 0)
    throw new SyntaxError(
      `do, number ${place}: expected a tick, an action and its parameters, found “${text}”.`,
    );
  const pairs = rest.flatMap((key, at) => (at % 2 === 0 ? [[key, valueIn(rest[at + 1]!)]] : []));
  return { tick: Number(tick), name, parameters: Object.fromEntries(pairs) };
}

function valueIn(text: string): number | string {
  return NUMBER.test(text) ? Number(text) : text;
}
