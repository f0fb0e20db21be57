import { SimulationFault } from './fault.ts';
import { type Action, actInRun, type Run, startRun, stepRun } from './run.ts';

/** A run as it would have been without one of its actions. */
export interface Counterfactual {
  run: Run;
  /** Later actions that are not available in it, which are left out. */
  dropped: readonly Action[];
}

/**
 * The run with the same scenario, seed and settings up to `tick` (default: the end), without the action of this index: its decision goes
 * by its time. Later actions stay where they are available.
 */
export function withoutAction(run: Run, index: number, tick = run.scenario.horizon): Counterfactual {
  const before = replayed(run, run.actions.slice(0, index), Math.min(tick, run.actions[index]!.tick));
  return withActions(before, run.actions.slice(index + 1), tick);
}

/** The run up to an action’s tick, with the actions before it. */
function replayed({ scenario, seed, settings }: Run, actions: readonly Action[], tick: number): Run {
  return withActions(startRun(scenario.name, seed, settings), actions, tick).run;
}

/** A run continued up to `tick` with those of the actions that are available in it. */
export function withActions(run: Run, actions: readonly Action[], tick: number): Counterfactual {
  const dropped: Action[] = [];
  let next = run;
  for (const action of actions) {
    if (action.tick > tick) break;
    next = stepRun(next, action.tick - next.world.tick);
    const taken = tryAction(next, action);
    if (taken === null) dropped.push(action);
    else next = taken;
  }
  return { run: stepRun(next, tick - next.world.tick), dropped };
}

function tryAction(run: Run, { name, parameters }: Action): Run | null {
  try {
    return actInRun(run, name, parameters);
  } catch (error) {
    if (error instanceof SimulationFault) return null;
    throw error;
  }
}
