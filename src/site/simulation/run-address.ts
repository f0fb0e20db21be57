import { SimulationFault } from '../../simulation/fault.ts';
import { type Action, type Run, replay } from '../../simulation/run.ts';
import { VERSIONS } from '../../simulation/versions.ts';

const WHOLE = /^\d{1,10}$/;
const NUMBER = /^-?\d+(\.\d+)?$/;
/** The seed of an address without one. */
const FIRST_SEED = 1;

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

/** What is wrong with an address, with place, expected and found. */
export class AddressFault extends Error {
  /** The address of the run up to the fault, or of the start of its case; null for an address without a case. */
  readonly nearest: string | null;

  constructor(message: string, nearest: string | null) {
    super(message);
    this.nearest = nearest;
  }
}

/** The run of an address at each tick, and after each action; the last one is where the address leads. Throws an AddressFault. */
export function parseRunAddress(query: URLSearchParams): [Run, ...Run[]] {
  const scenario = query.get('scenario') ?? '';
  const steps: Run[] = [];
  try {
    const seed = readWhole('seed', query) ?? FIRST_SEED;
    const tick = readWhole('tick', query);
    const settings = Object.fromEntries(query.getAll('set').map(readSetting));
    const actions = query.getAll('do').map(readAction);
    const recorded = { scenario, seed, settings, actions };
    replay(tick === null ? recorded : { ...recorded, tick }, (step) => steps.push(step));
  } catch (error) {
    if (!(error instanceof SimulationFault || error instanceof SyntaxError)) throw error;
    const start = Object.hasOwn(VERSIONS, scenario) ? `?scenario=${scenario}` : null;
    const last = steps.at(-1);
    throw new AddressFault(
      error.message.replace(/^actions\.(\d+)\.(?:tick: )?/, (_, i) => `do, number ${Number(i) + 1}: `),
      last ? formatRunAddress(last) : start,
    );
  }
  return steps as [Run, ...Run[]];
}

/** Whether an address was made with another version of its scenario. */
export function isOtherVersion(query: URLSearchParams): boolean {
  return query.has('v') && query.get('v') !== VERSIONS[query.get('scenario') ?? ''];
}

function readWhole(name: 'seed' | 'tick', query: URLSearchParams): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (WHOLE.test(text)) return Number(text);
  throw new SyntaxError(`${name}: expected a whole number of at most ten digits, found “${text}”.`);
}

function readSetting(text: string): [name: string, value: number] {
  const [name = '', value = '', ...rest] = text.split(' ');
  if (NUMBER.test(value) && rest.length === 0) return [name, Number(value)];
  throw new SyntaxError(`set: expected the name of a parameter and a number, found “${text}”.`);
}

function readAction(text: string, index: number): Action {
  const [tick = '', name = '', ...rest] = text.split(' ');
  const place = `do, number ${index + 1}`;
  if (!WHOLE.test(tick) || rest.length % 2 !== 0)
    throw new SyntaxError(`${place}: expected a tick, an action and its parameters, found “${text}”.`);
  const pairs = rest.flatMap((key, at) => (at % 2 === 0 ? [[key, valueIn(rest[at + 1]!)]] : []));
  return { tick: Number(tick), name, parameters: Object.fromEntries(pairs) };
}

function valueIn(text: string): number | string {
  return NUMBER.test(text) ? Number(text) : text;
}
