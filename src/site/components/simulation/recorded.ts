import { actInRun, type Recorded, type Run, startRun, stepRun } from '../../../simulation/run.ts';
import { type Shown, show } from '../../../simulation/view.ts';

/** A run up to the tick that is looked at: all that a link, a branch or a transcript needs. */
export type RecordedRun = Required<Recorded>;

/** How a recorded run stood after each tick, with what was done then, from tick 0 on. Throws a SimulationFault, as replay does. */
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

/** As far as the tick, and nothing that was done after it: where another branch begins. */
export function upTo(run: RecordedRun, tick: number): RecordedRun {
  return { ...run, tick, actions: run.actions.filter((action) => action.tick < tick) };
}
