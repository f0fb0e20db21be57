import { available } from '../../simulation/decisions.ts';
import { actInRun, type Run, stepRun } from '../../simulation/run.ts';
import type { Parameters } from '../../simulation/scenario.ts';
import type { World } from '../../simulation/world.ts';

/** From its start to the first moment at which there is something to decide. */
export function begin(run: Run): Run {
  return run.world.open.length > 0 ? run : goOn(run);
}

/** Takes an action. After an answer to a decision the run goes on, unless another decision is open. */
export function choose(run: Run, name: string, parameters: Parameters): Run {
  const { decision } = available(run.world, run.scenario).find(({ choice }) => choice.name === name)!;
  const acted = actInRun(run, name, parameters);
  return decision === null || acted.world.open.length > 0 ? acted : goOn(acted);
}

/** To the next moment with something new: a decision opens or closes, there is a vote, or the run ends. */
export function goOn(run: Run): Run {
  let next = stepRun(run);
  while (next.world.ending === null && !hasNews(run.world, next.world)) next = stepRun(next);
  return next;
}

function hasNews(before: World, now: World): boolean {
  return (
    now.open !== before.open ||
    now.deliberation.votes.length > before.deliberation.votes.length ||
    now.deliberation.status !== before.deliberation.status
  );
}

/** Of the steps that led to a run, the one before its last action; without an action, null. */
export function beforeLastChoice(steps: readonly Run[]): Run | null {
  const { actions } = steps.at(-1)!;
  return actions.length === 0 ? null : steps.findLast((step) => step.actions.length < actions.length)!;
}
