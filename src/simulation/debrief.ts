import { available, decisionOf, labelOf, readParameters } from './decisions.ts';
import { meanOpinion } from './opinions.ts';
import { type Action, type Run, replay, withoutAction } from './run.ts';
import { type Ending, type Parameter, type Parameters, type Scenario, textOf } from './scenario.ts';
import type { World } from './world.ts';

/** The run as it would have ended without an action. */
interface Without {
  ending: string;
  title: string;
  /** At its end. */
  tick: number;
  mean_opinion: number;
  /** The labels of later actions for which there would have been no occasion. */
  dropped: readonly string[];
}

export interface DebriefChoice {
  tick: number;
  /** The title of the decision; null for a move that is always possible. */
  decision: string | null;
  /** The name of the choice. */
  choice: string;
  /** For readers, with the values of its parameters. */
  label: string;
  by: 'you' | 'time';
  /** Null where time chose. */
  without: Without | null;
}

export interface Debrief {
  ending: string;
  title: string;
  text: string;
  /** The sentences of the text, each of which is true of this run. */
  claims: readonly string[];
  /** To the player. */
  question: string;
  /** What was chosen and done, in order. */
  choices: readonly DebriefChoice[];
}

/** Cached by world: it costs as much as the run as many times as something was done in it. */
const KNOWN = new WeakMap<World, Debrief>();

/** How a run that has ended ended, what was chosen in it, and how it would have ended without each action. */
export function debriefOf(run: Run): Debrief {
  const { world, scenario } = run;
  const known = KNOWN.get(world);
  if (known) return known;
  const { name, title, claims, question } = endingOf(world, scenario);
  const said = claims.map((claim) => textOf(claim, world));
  const choices = [...choicesOfTime(run), ...choicesOfPlayer(run)].toSorted((a, b) => a.tick - b.tick);
  const debrief = { ending: name, title, text: said.join(' '), claims: said, question, choices };
  KNOWN.set(world, debrief);
  return debrief;
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

function choicesOfPlayer(run: Run): DebriefChoice[] {
  const { scenario, seed, settings, actions } = run;
  return actions.map((action, index) => {
    const before = replay({
      scenario: scenario.name,
      seed,
      settings,
      actions: actions.slice(0, index),
      tick: action.tick,
    });
    const { choice, decision } = available(before.world, scenario).find(
      (one) => one.choice.name === action.name,
    )!;
    return {
      tick: action.tick,
      decision: decision === null ? null : decisionOf(scenario, decision).title,
      choice: action.name,
      label: withValues(choice.label, choice.parameters ?? {}, action.parameters),
      by: 'you',
      without: withoutChoice(run, index),
    };
  });
}

/** `Brief a sentinel (EVE, justice)`, `Cap them (highest multiplier: 1.5)` */
function withValues(
  label: string,
  parameters: Readonly<Record<string, Parameter>>,
  given: Parameters,
): string {
  const read = readParameters(parameters, given);
  const values = Object.entries(parameters).map(([name, { kind, meaning }]) =>
    kind === 'number' ? `${meaning}: ${read[name]}` : read[name],
  );
  return values.length === 0 ? label : `${label} (${values.join(', ')})`;
}

function withoutChoice(run: Run, index: number): Without {
  const { run: without, dropped } = withoutAction(run, index);
  const { world, scenario } = without;
  const { name, title } = endingOf(world, scenario);
  return {
    ending: name,
    title,
    tick: world.tick,
    mean_opinion: meanOpinion(world),
    dropped: dropped.map((action: Action) => labelOf(action.name, scenario)),
  };
}
