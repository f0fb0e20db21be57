import { advance } from './advance.ts';
import { decisionOf, takeAction } from './decisions.ts';
import { SEEDS } from './draws.ts';
import { faultAt, SimulationFault } from './fault.ts';
import { MAX_ACTIONS, readSettings, type Settings } from './levers.ts';
import type { SimulationUpdate } from './protocol/server-message.ts';
import type { Parameters, Scenario } from './scenario.ts';
import { scenarioNamed } from './scenarios.ts';
import { startWorld } from './start-world.ts';
import type { World } from './world.ts';

export type Action = SimulationUpdate['current_state']['actions'][number];

/** A run is its scenario, seed, settings and actions. `world` follows from these and is kept to avoid computing it again. */
export interface Run {
  scenario: Scenario;
  seed: number;
  settings: Settings;
  actions: readonly Action[];
  world: World;
}

/** A run at tick 0. Throws a SimulationFault: unknown_scenario, invalid_seed, invalid_settings. */
export function startRun(
  scenarioName: string,
  seed: number,
  given: Readonly<Record<string, unknown>> = {},
): Run {
  const scenario = scenarioNamed(scenarioName);
  if (!Number.isInteger(seed) || seed < 0 || seed >= SEEDS)
    throw faultAt('invalid_seed', 'seed', `a whole number from 0 to ${SEEDS - 1}`, seed);
  const settings = readSettings(given);
  return { scenario, seed, settings, actions: [], world: startWorld(scenario, seed, settings) };
}

/** Advances by the given number of ticks, or to the end. */
export function stepRun(run: Run, ticks = 1): Run {
  let next = run;
  for (let count = 0; count < ticks && next.world.ending === null; count += 1)
    next = { ...next, world: advance(next.world, run.scenario, run.seed) };
  return next;
}

/** Takes an action at the current tick. Throws a SimulationFault: see takeAction. */
export function actInRun(run: Run, name: string, parameters: Parameters): Run {
  if (run.actions.length >= MAX_ACTIONS)
    throw new SimulationFault('action_unavailable', `A run has at most ${MAX_ACTIONS} actions.`);
  const world = takeAction(run.world, { name, parameters }, run.scenario);
  return { ...run, world, actions: [...run.actions, { tick: run.world.tick, name, parameters }] };
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
 * Replays a recorded run up to `tick`, for a shared link or a check. `seen` gets the run at each tick on the way, and after each action.
 * Throws the SimulationFaults of startRun and takeAction, and invalid_actions if the ticks decrease or exceed the end.
 */
export function replay(
  { scenario, seed, settings, actions, tick }: Recorded,
  seen: (run: Run) => void = () => {},
): Run {
  let run = startRun(scenario, seed, settings);
  const { horizon } = run.scenario;
  const goTo = (at: number, place: string) => {
    if (!(at >= run.world.tick && at <= horizon))
      throw faultAt('invalid_actions', place, `a tick from ${run.world.tick} to ${horizon}`, at);
    while (run.world.tick < at && run.world.ending === null) {
      run = stepRun(run);
      seen(run);
    }
  };
  seen(run);
  for (const [i, action] of actions.entries()) {
    goTo(action.tick, `actions.${i}.tick`);
    try {
      run = actInRun(run, action.name, action.parameters);
    } catch (error) {
      if (!(error instanceof SimulationFault)) throw error;
      throw new SimulationFault(error.code, `actions.${i}.${error.message}`);
    }
    seen(run);
  }
  if (tick !== undefined) goTo(tick, 'tick');
  return run;
}

/**
 * The run before the action of this index, and to its end without it: its decision goes by its time. The others are taken as before,
 * but not after the time of their decision, and otherwise as soon as they are available; `dropped` are those that never are.
 */
export function withoutAction(
  { scenario: { name: scenario }, seed, settings, actions }: Run,
  index: number,
): { before: Run; without: Run; dropped: readonly Action[] } {
  const { tick } = actions[index]!;
  const before = replay({ scenario, seed, settings, actions: actions.slice(0, index), tick });
  let without = before;
  let left = actions.slice(index + 1);
  while (without.world.ending === null) {
    left = left.filter((action) => {
      const isDue = action.tick <= without.world.tick || isLastTime(without, action.name);
      const acted = isDue && actIfPossible(without, action);
      if (acted) without = acted;
      return !acted;
    });
    without = stepRun(without);
  }
  return { before, without, dropped: left };
}

/** Whether its decision goes by its time in the next tick. */
function isLastTime({ world, scenario }: Run, choice: string): boolean {
  const ending = world.open.filter(({ until }) => until === world.tick + 1);
  return ending.some(({ name }) => decisionOf(scenario, name).choices.some((one) => one.name === choice));
}

function actIfPossible(run: Run, { name, parameters }: Action): Run | null {
  try {
    return actInRun(run, name, parameters);
  } catch (error) {
    if (error instanceof SimulationFault) return null;
    throw error;
  }
}
