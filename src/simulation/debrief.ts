import { type Available, available, decisionOf, labelOf, readParameters } from './decisions.ts';
import { meanOpinion } from './opinions.ts';
import type { SimulationUpdate } from './protocol/server-message.ts';
import { type Run, withoutAction } from './run.ts';
import { type Ending, type Parameters, type Scenario, textOf } from './scenario.ts';
import type { World } from './world.ts';

type Debrief = NonNullable<SimulationUpdate['current_state']['debrief']>;
export type DebriefChoice = Debrief['choices'][number];

/** By world: it costs as much as the run as many times as something was done in it. */
const KNOWN = new WeakMap<World, Debrief>();

/** How a run that has ended ended, what was chosen in it, and how it would have ended without each action. */
export function debriefOf(run: Run): Debrief {
  const debrief = KNOWN.get(run.world) ?? makeDebrief(run);
  KNOWN.set(run.world, debrief);
  return debrief;
}

function makeDebrief(run: Run): Debrief {
  const { world, scenario } = run;
  const { name, title, claims, question } = endingOf(world, scenario);
  const said = claims.map((claim) => textOf(claim, world));
  const choices = [...choicesOfTime(run), ...run.actions.map((_, index) => choiceOfPlayer(run, index))];
  return {
    ending: name,
    title,
    text: said.join(' '),
    claims: said,
    question,
    choices: choices.toSorted((a, b) => a.tick - b.tick),
  };
}

export function endingOf({ ending }: World, { endings }: Scenario): Ending {
  return endings.find(({ name }) => name === ending)!;
}

function choicesOfTime({ world, scenario }: Run): DebriefChoice[] {
  return world.taken
    .filter(({ isDefault }) => isDefault)
    .map(({ tick, decision, choice }) => ({
      tick,
      decision: decisionOf(scenario, decision).title,
      choice,
      label: labelOf(choice, scenario),
      by: 'time',
      without: null,
    }));
}

function choiceOfPlayer(run: Run, index: number): DebriefChoice {
  const { scenario } = run;
  const { tick, name, parameters } = run.actions[index]!;
  const { before, without, dropped } = withoutAction(run, index);
  const { choice, decision } = available(before.world, scenario).find((one) => one.choice.name === name)!;
  const ending = endingOf(without.world, scenario);
  return {
    tick,
    decision: decision === null ? null : decisionOf(scenario, decision).title,
    choice: name,
    label: withValues(choice, parameters),
    by: 'you',
    without: {
      ending: ending.name,
      title: ending.title,
      tick: without.world.tick,
      mean_opinion: meanOpinion(without.world),
      dropped: dropped.map((action) => labelOf(action.name, scenario)),
    },
  };
}

/** `Brief a sentinel (EVE, justice)`, `Cap them (highest multiplier: 1.5)` */
function withValues({ label, parameters = {} }: Available['choice'], given: Parameters): string {
  const read = readParameters(parameters, given);
  const values = Object.entries(parameters).map(([name, { kind, meaning }]) =>
    kind === 'one_of' ? read[name] : `${meaning}: ${read[name]}`,
  );
  return values.length === 0 ? label : `${label} (${values.join(', ')})`;
}
