import { advance } from './advance.ts';
import { takeAction } from './decisions.ts';
import { SimulationFault } from './fault.ts';
import type { Parameters, Scenario } from './scenario.ts';
import { scenarioNamed } from './scenarios.ts';
import { startWorld } from './start-world.ts';
import type { World } from './world.ts';

/** An action of the player, at the tick after which it was taken. */
export interface Action {
  tick: number;
  name: string;
  parameters: Parameters;
}

/** All that a run is: `world` follows from the rest, and is kept so that it need not be computed again. */
export interface Run {
  scenario: Scenario;
  seed: number;
  actions: readonly Action[];
  world: World;
  /** The world as it was when the decisions that are open now had opened: what the outlooks are of. */
  opened: World;
}

/** Seeds are whole numbers below this. */
export const SEEDS = 2 ** 32;
/** More than any scenario has use for. */
export const MAX_ACTIONS = 64;

/** A run at tick 0. Throws a SimulationFault: unknown_scenario, invalid_seed. */
export function startRun(scenarioName: string, seed: number): Run {
  const scenario = scenarioNamed(scenarioName);
  if (!Number.isInteger(seed) || seed < 0 || seed >= SEEDS)
    throw new SimulationFault(
      'invalid_seed',
      `Expected a whole number from 0 to ${SEEDS - 1}, found ${seed}.`,
    );
  const world = startWorld(scenario, seed);
  return { scenario, seed, actions: [], world, opened: world };
}

/** As many ticks on, or up to the end. */
export function stepRun(run: Run, ticks = 1): Run {
  let next = run;
  for (let count = 0; count < ticks && next.world.ending === null; count += 1)
    next = withWorld(next, advance(next.world, run.scenario, run.seed));
  return next;
}

function withWorld(run: Run, world: World): Run {
  const isSame = world.open === run.opened.open;
  return { ...run, world, opened: isSame ? run.opened : world };
}

/** Takes an action at the present tick. Throws a SimulationFault: see takeAction. */
export function actInRun(run: Run, name: string, parameters: Parameters): Run {
  if (run.actions.length >= MAX_ACTIONS)
    throw new SimulationFault('action_unavailable', `A run has at most ${MAX_ACTIONS} actions.`);
  const world = takeAction(run.world, { name, parameters }, run.scenario);
  return { ...withWorld(run, world), actions: [...run.actions, { tick: run.world.tick, name, parameters }] };
}

export interface Recorded {
  scenario: string;
  seed: number;
  actions: readonly Action[];
  /** Where to stop; without it, at the last action. */
  tick?: number;
}

/**
 * The run that was recorded, as it was at `tick`: a resume, a shared link and a check are this. Throws a SimulationFault:
 * those of startRun and takeAction, and invalid_actions where the ticks go back or beyond the end.
 */
export function replay({ scenario, seed, actions, tick }: Recorded): Run {
  let run = startRun(scenario, seed);
  const { horizon } = run.scenario;
  for (const [i, action] of actions.entries()) {
    const { tick: at } = run.world;
    if (!(action.tick >= at && action.tick <= horizon))
      throw new SimulationFault(
        'invalid_actions',
        `actions.${i}.tick: expected a tick from ${at} to ${horizon}, found ${action.tick}.`,
      );
    run = actInRun(stepRun(run, action.tick - at), action.name, action.parameters);
  }
  if (tick === undefined) return run;
  if (!(tick >= run.world.tick && tick <= horizon))
    throw new SimulationFault(
      'invalid_actions',
      `tick: expected a tick from ${run.world.tick} to ${horizon}, found ${tick}.`,
    );
  return stepRun(run, tick - run.world.tick);
}
