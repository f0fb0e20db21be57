import { advance } from './advance.ts';
import { takeAction } from './decisions.ts';
import { SimulationFault } from './fault.ts';
import { readSettings, type Settings } from './levers.ts';
import type { Parameters, Scenario } from './scenario.ts';
import { scenarioNamed } from './scenarios.ts';
import { startWorld } from './start-world.ts';
import type { World } from './world.ts';

/** A player's action and the tick after which it was taken. */
export interface Action {
  tick: number;
  name: string;
  parameters: Parameters;
}

/** A complete run. `world` follows from the rest and is kept to avoid computing it again. */
export interface Run {
  scenario: Scenario;
  seed: number;
  settings: Settings;
  actions: readonly Action[];
  world: World;
  /** The world when the currently open decisions opened, for which the outlooks are computed. */
  opened: World;
  /** The world before the last action, until the next tick. */
  before: World | null;
}

/** Seeds are integers below this. */
export const SEEDS = 2 ** 32;
/** More than any scenario needs. */
export const MAX_ACTIONS = 64;

/** A run at tick 0. Throws a SimulationFault: unknown_scenario, invalid_seed, invalid_settings. */
export function startRun(
  scenarioName: string,
  seed: number,
  given: Readonly<Record<string, unknown>> = {},
): Run {
  const scenario = scenarioNamed(scenarioName);
  if (!Number.isInteger(seed) || seed < 0 || seed >= SEEDS)
    throw new SimulationFault(
      'invalid_seed',
      `Expected a whole number from 0 to ${SEEDS - 1}, found ${seed}.`,
    );
  const settings = readSettings(given);
  const world = startWorld(scenario, seed, { settings });
  return { scenario, seed, settings, actions: [], world, opened: world, before: null };
}

/** Advances by the given number of ticks, or to the end. */
export function stepRun(run: Run, ticks = 1): Run {
  let next = run;
  for (let count = 0; count < ticks && next.world.ending === null; count += 1)
    next = { ...withWorld(next, advance(next.world, run.scenario, run.seed)), before: null };
  return next;
}

function withWorld(run: Run, world: World): Run {
  const isSame = world.open === run.opened.open;
  return { ...run, world, opened: isSame ? run.opened : world };
}

/** Takes an action at the current tick. Throws a SimulationFault: see takeAction. */
export function actInRun(run: Run, name: string, parameters: Parameters): Run {
  if (run.actions.length >= MAX_ACTIONS)
    throw new SimulationFault('action_unavailable', `A run has at most ${MAX_ACTIONS} actions.`);
  const world = takeAction(run.world, { name, parameters }, run.scenario);
  const actions = [...run.actions, { tick: run.world.tick, name, parameters }];
  return { ...withWorld(run, world), actions, before: run.world };
}

export interface Recorded {
  scenario: string;
  seed: number;
  settings?: Settings;
  actions: readonly Action[];
  /** The tick at which to stop; default: that of the last action. */
  tick?: number;
}

/**
 * Replays a recorded run up to `tick`, for a resume, a shared link or a check. Throws the SimulationFaults of startRun and
 * takeAction, and invalid_actions if the ticks decrease or exceed the end.
 */
export function replay({ scenario, seed, settings, actions, tick }: Recorded): Run {
  let run = startRun(scenario, seed, settings);
  const { horizon } = run.scenario;
  for (const [i, action] of actions.entries()) {
    const { tick: at } = run.world;
    if (!(action.tick >= at && action.tick <= horizon))
      throw new SimulationFault(
        'invalid_actions',
        `actions.${i}.tick: expected a tick from ${at} to ${horizon}, found ${action.tick}.`,
      );
    run = inPlace(`actions.${i}`, () =>
      actInRun(stepRun(run, action.tick - at), action.name, action.parameters),
    );
  }
  if (tick === undefined) return run;
  if (!(tick >= run.world.tick && tick <= horizon))
    throw new SimulationFault(
      'invalid_actions',
      `tick: expected a tick from ${run.world.tick} to ${horizon}, found ${tick}.`,
    );
  return stepRun(run, tick - run.world.tick);
}

/** A fault of one of several actions says which one. */
function inPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SimulationFault)) throw error;
    throw new SimulationFault(error.code, `${place}: ${error.message}`);
  }
}
