import {
  type Action,
  actInRun,
  MAX_ACTIONS,
  type Recorded,
  type Run,
  replay,
  SEEDS,
  startRun,
  stepRun,
} from '../../../simulation/run.ts';
import { type Shown, show } from '../../../simulation/view.ts';

const WHOLE = /^\d{1,10}$/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Prefix of the kept run's parameters. */
const KEPT = 'kept_';
/** Length of a query that every browser, proxy and mail program accepts. */
export const LONGEST_ADDRESS = 2000;

/** The run in an address, and the kept run to compare it with. */
export interface NamedRuns {
  run: RecordedRun;
  kept: RecordedRun | null;
}

/**
 * The query of a run: `?scenario=model_drift&seed=7&do=1+audit&tick=9`. Each `do` is a tick, the name of an action, and its
 * parameters as alternating names and values. The kept run follows in the same way as `kept_seed`, `kept_do`, `kept_tick`, and
 * `kept_scenario` if it differs. It is left out if both together exceed LONGEST_ADDRESS.
 */
export function formatRunAddress(run: RecordedRun, kept: RecordedRun | null = null): string {
  const alone = new URLSearchParams(parametersOf(run));
  if (!kept) return `?${alone}`;
  const beside = parametersOf(kept).filter(([name, value]) => name !== 'scenario' || value !== run.scenario);
  const both = `?${new URLSearchParams([...alone, ...beside.map(([name, value]) => [KEPT + name, value])])}`;
  return both.length > LONGEST_ADDRESS ? `?${alone}` : both;
}

function parametersOf({ scenario, seed, actions, tick }: RecordedRun): [name: string, value: string][] {
  const done = actions.map(({ tick: at, name, parameters }): [string, string] => [
    'do',
    [at, name, ...Object.entries(parameters).flat()].join(' '),
  ]);
  return [['scenario', scenario], ['seed', String(seed)], ...done, ['tick', String(tick)]];
}

/** Null if the address has no run. Throws a SimulationFault or a SyntaxError for an invalid one. */
export function parseRunAddress(parameters: URLSearchParams): NamedRuns | null {
  const scenario = parameters.get('scenario');
  if (scenario === null) return null;
  const run = parseRun(parameters, scenario, '');
  const names = [...parameters.keys()].some((name) => name.startsWith(KEPT));
  return {
    run,
    kept: names ? parseRun(parameters, parameters.get(`${KEPT}scenario`) ?? scenario, KEPT) : null,
  };
}

function parseRun(parameters: URLSearchParams, scenario: string, prefix: string): RecordedRun {
  const done = parameters.getAll(`${prefix}do`);
  if (done.length > MAX_ACTIONS) throw new SyntaxError(`A run has at most ${MAX_ACTIONS} actions.`);
  const actions = done.map(parseAction);
  const number = (name: string, otherwise: number) =>
    wholeNumber(parameters.get(prefix + name) ?? String(otherwise), prefix + name);
  const tick = number('tick', actions.at(-1)?.tick ?? 0);
  const run = { scenario, seed: number('seed', 1), actions, tick };
  // Throws now for a run that is impossible.
  replay(run);
  return run;
}

function parseAction(text: string): Action {
  const [tick = '', name = '', ...rest] = text.split(' ');
  if (rest.length % 2 !== 0) throw new SyntaxError(`do: expected names with values, found “${text}”.`);
  const parameters: Record<string, string | number> = Object.create(null);
  for (let at = 0; at < rest.length; at += 2) {
    const value = rest[at + 1]!;
    parameters[rest[at]!] = NUMBER.test(value) ? Number(value) : value;
  }
  return { tick: wholeNumber(tick, 'do'), name, parameters: { ...parameters } };
}

function wholeNumber(text: string, name: string): number {
  if (WHOLE.test(text) && Number(text) < SEEDS) return Number(text);
  throw new SyntaxError(`${name}: expected a whole number, found “${text}”.`);
}

/** A run up to a tick: all that a link, a branch or a transcript needs. */
export type RecordedRun = Required<Recorded>;

/** The state of a recorded run after each tick, from tick 0 on. Throws a SimulationFault like replay. */
export function historyOf({ scenario, seed, actions, tick }: RecordedRun): Shown[] {
  const history: Shown[] = [];
  let run = acted(startRun(scenario, seed), actions);
  for (;;) {
    history.push(show(run, { outlooks: false }));
    if (run.world.tick >= tick || run.world.ending !== null) return history;
    run = acted(stepRun(run), actions);
  }
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
