import { askedDecisions, available, decisionOf, decisionsOf } from './decisions.ts';
import { type Draws, drawsOfDecision } from './draws.ts';
import { clamp, roundTo6 } from './round-to-6.ts';
import { actInRun, type Run, startRun, stepRun } from './run.ts';
import type { Amount, Parameters } from './scenario.ts';

/**
 * In place of a choice: one of those that are offered, each as likely as the others, with parameters drawn evenly from their ranges. The
 * draws follow from the run’s seed.
 */
export const AT_RANDOM = 'at_random';

interface Planned {
  choice: string;
  parameters: Parameters;
}

/** What to do about each decision, by its name. Unlike actions with their ticks, a plan can be followed with any seed. */
export type Plan = Readonly<Record<string, Planned | typeof AT_RANDOM>>;

/**
 * A whole run in which each decision of the plan is taken as soon as it is open and its choice is offered; the others go by default at
 * their time. `seen` gets the run after each tick. Throws the SimulationFaults of startRun and takeAction.
 */
export function playPlan(
  scenario: string,
  seed: number,
  settings: Readonly<Record<string, unknown>>,
  plan: Plan,
  seen: (run: Run) => void = () => {},
): Run {
  let run = decided(startRun(scenario, seed, settings), plan);
  seen(run);
  while (run.world.ending === null) {
    run = decided(stepRun(run), plan);
    seen(run);
  }
  return run;
}

function decided(run: Run, plan: Plan): Run {
  let next = run;
  for (const { name } of run.world.open) {
    const planned = Object.hasOwn(plan, name) ? plan[name] : undefined;
    // An earlier choice may have closed it, or it waits for the answer to a dissent.
    if (!planned || !askedDecisions(next.world).some((open) => open.name === name)) continue;
    const taken = planned === AT_RANDOM ? drawn(next, name) : offeredOf(next, name, planned);
    if (taken) next = actInRun(next, taken.choice, taken.parameters);
  }
  return next;
}

/** Null if it is a choice of the decision, but not offered now. */
function offeredOf({ world, scenario }: Run, decision: string, planned: Planned): Planned | null {
  if (available(world, scenario).some(({ choice }) => choice.name === planned.choice)) return planned;
  return decisionOf(scenario, decision).choices.some(({ name }) => name === planned.choice) ? null : planned;
}

function drawn({ world, scenario, seed }: Run, decision: string): Planned | null {
  const offered = available(world, scenario).filter((action) => action.decision === decision);
  if (offered.length === 0) return null;
  const draws = drawsOfDecision(
    seed,
    decisionsOf(scenario).findIndex(({ name }) => name === decision),
  );
  const { name, parameters = {} } = offered[Math.floor(draws() * offered.length)]!.choice;
  const values = Object.entries(parameters).map(([key, about]) => [key, drawnAmount(about as Amount, draws)]);
  return { choice: name, parameters: Object.fromEntries(values) };
}

/** Only moves, which no plan has, take anything but numbers. */
function drawnAmount({ minimum, maximum }: Amount, draws: Draws): number {
  return clamp(roundTo6(minimum + draws() * (maximum - minimum)), minimum, maximum);
}
