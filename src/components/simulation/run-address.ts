import { type Action, MAX_ACTIONS, replay, SEEDS } from '../../simulation/run.ts';
import type { RecordedRun } from './recorded.ts';

const WHOLE = /^\d{1,10}$/;
const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * The address of a run, with its question mark: `?scenario=model_drift&seed=7&do=1+audit&tick=9`. Each `do` is a tick, the name
 * of an action, and the names and values of its parameters by turns.
 */
export function formatRunAddress({ scenario, seed, actions, tick }: RecordedRun): string {
  const parameters = new URLSearchParams({ scenario, seed: String(seed) });
  for (const { tick: at, name, parameters: given } of actions)
    parameters.append('do', [at, name, ...Object.entries(given).flat()].join(' '));
  parameters.set('tick', String(tick));
  return `?${parameters}`;
}

/** Null where the address names no run. Throws a SimulationFault or a SyntaxError where there can be no such run. */
export function parseRunAddress(parameters: URLSearchParams): RecordedRun | null {
  const scenario = parameters.get('scenario');
  if (scenario === null) return null;
  const done = parameters.getAll('do');
  if (done.length > MAX_ACTIONS) throw new SyntaxError(`A run has at most ${MAX_ACTIONS} actions.`);
  const actions = done.map(parseAction);
  const tick = wholeNumber(parameters.get('tick') ?? String(actions.at(-1)?.tick ?? 0), 'tick');
  const run = { scenario, seed: wholeNumber(parameters.get('seed') ?? '1', 'seed'), actions, tick };
  // To find out now whether it can be.
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
