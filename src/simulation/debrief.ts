import { REWARD, SCORE_FORMULA } from '../../pipeline/model/formulas.ts';
import { withActions } from './counterfactual.ts';
import { available, labelOf, openedDecision, readParameters } from './decisions.ts';
import { listed } from './deliberation.ts';
import { formatMic, inMic, MICRO } from './economy.ts';
import { meanOpinion, ownOpinions, polarisation } from './opinions.ts';
import { type Action, actInRun, type Run, startRun, stepRun } from './run.ts';
import {
  type Ending,
  endingText,
  type Parameter,
  type Parameters,
  type Scenario,
  textOf,
} from './scenario.ts';
import { GAIN } from './utility.ts';
import { VIRTUES } from './virtues.ts';
import { meanRestingOpinion, whyOf } from './why.ts';
import { howMuch, whyInWords } from './why-in-words.ts';
import type { World } from './world.ts';

/** A formula that mattered in this run, and its values. */
export interface Explained {
  formula: string;
  equation: string;
  values: { name: string; value: number | string }[];
}

/** The run as it would have been without an action. */
interface Without {
  ending: string;
  title: string;
  /** At its end. */
  tick: number;
  mean_opinion: number;
  /** The difference that the action made, in sentences. */
  said: readonly string[];
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
  /** What it moved at once, in sentences; none where time chose. */
  moved: readonly string[];
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
  explained: readonly Explained[];
}

/** Cached by world: it costs as much as the run as many times as something was done in it. */
const KNOWN = new WeakMap<World, Debrief>();

/** For a run that has ended. */
export function debriefOf(run: Run): Debrief {
  const known = KNOWN.get(run.world);
  if (known) return known;
  const { world, scenario } = run;
  const { name, title, claims, question } = endingOf(world, scenario);
  const began = startRun(scenario.name, run.seed, run.settings).world;
  const debrief = {
    ending: name,
    title,
    text: endingText(world, endingOf(world, scenario)),
    claims: claims.map((claim) => textOf(claim, world)),
    question,
    choices: [...choicesOfTime(run), ...choicesOfPlayer(run)].toSorted((a, b) => a.tick - b.tick),
    explained: EXPLANATIONS.filter(({ matters }) => matters(world, began)).map(
      ({ formula, equation, values }) => ({
        formula,
        equation,
        values: values(world, began).map(([value, is]) => ({ name: value, value: is })),
      }),
    ),
  };
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
      decision: openedDecision(decision, scenario).title,
      choice,
      label: labelOf(choice, scenario),
      by: 'time',
      moved: [],
      without: null,
    }));
}

function choicesOfPlayer(run: Run): DebriefChoice[] {
  let now = startRun(run.scenario.name, run.seed, run.settings);
  return run.actions.map((action, index) => {
    const before = stepRun(now, action.tick - now.world.tick);
    now = actInRun(before, action.name, action.parameters);
    const { choice, decision } = available(before.world, run.scenario).find(
      (one) => one.choice.name === action.name,
    )!;
    return {
      tick: action.tick,
      decision: decision === null ? null : openedDecision(decision, run.scenario).title,
      choice: action.name,
      label: withValues(choice.label, choice.parameters ?? {}, action.parameters),
      by: 'you',
      moved: whyInWords(whyOf(before.world, now.world)),
      without: withoutChoice(run, before, index),
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

/** `before`: the run up to the action. */
function withoutChoice(run: Run, before: Run, index: number): Without {
  const { horizon } = run.scenario;
  const { run: without, dropped } = withActions(before, run.actions.slice(index + 1), horizon);
  const { name, title } = endingOf(without.world, run.scenario);
  return {
    ending: name,
    title,
    tick: without.world.tick,
    mean_opinion: meanOpinion(without.world),
    said: [sayEnding(run, without), ...sayDifferences(run, without), ...sayDropped(run, dropped)],
  };
}

function sayEnding({ world, scenario }: Run, without: Run): string {
  const { title } = endingOf(without.world, scenario);
  return without.world.ending === world.ending
    ? `Without it, the run would have ended with “${title}” all the same.`
    : `Without it, the run would have ended with “${title}”.`;
}

function sayDifferences(run: Run, without: Run): string[] {
  const said = [...sayOpinion(run.world, without.world), ...saySupply(run, without)];
  return said.length > 0
    ? said
    : ['Neither the mean opinion nor the supply would have been noticeably different.'];
}

function sayOpinion(world: World, without: World): string[] {
  if (isTurned(world) !== isTurned(without))
    return ['The question would have been the opposite one, so the opinions cannot be compared.'];
  const how = howMuch(meanOpinion(without) - meanOpinion(world));
  return how === null ? [] : [`The opinions would have ended ${how}.`];
}

/** Whether the opposite question was put, which turns all tempers. Compares two worlds with the same sentinels. */
function isTurned({ sentinels }: World): boolean {
  return sentinels.find(({ temper }) => temper !== 0)!.temper > 0;
}

/** Compared on one day, because the runs need not be equally long. */
function saySupply(run: Run, without: Run): string[] {
  const tick = Math.min(run.world.tick, without.world.tick);
  const [is, would] = [run, without].map((one) => atTick(one, tick).world.economy.circulating);
  const by = would! - is!;
  if (Math.abs(by) < MICRO / 2) return [];
  const days = tick === run.world.tick ? 'at the end' : `on day ${tick}`;
  return [`${formatMic(Math.abs(by))} MIC ${by > 0 ? 'more' : 'less'} would have circulated ${days}.`];
}

function atTick(run: Run, tick: number): Run {
  if (run.world.tick === tick) return run;
  const begun = startRun(run.scenario.name, run.seed, run.settings);
  return withActions(begun, run.actions, tick).run;
}

function sayDropped({ scenario }: Run, dropped: readonly Action[]): string[] {
  if (dropped.length === 0) return [];
  const labels = dropped.map(({ name }) => `“${labelOf(name, scenario)}”`);
  return [`There would have been no occasion for ${listed(labels)}.`];
}

type Value = readonly [name: string, value: number | string];

interface Explanation {
  formula: string;
  equation: string;
  /** Whether it had an effect in a run that began so. */
  matters: (world: World, began: World) => boolean;
  values: (world: World, began: World) => Value[];
}

/** Smaller differences of an opinion are not worth a table. */
const NOTICEABLE = 0.005;
/** Drift above a sentinel’s usual one that chance alone rarely reaches. */
const DRIFTED = 1;

const EXPLANATIONS: readonly Explanation[] = [
  {
    formula: 'Opinion dynamics (Friedkin and Johnsen, 1990)',
    equation: 'x(t+1) = Λ·W·x(t) + (I − Λ)·u',
    matters: () => true,
    values: (world, began) => {
      const resting = meanRestingOpinion(world);
      return [
        ['mean opinion at the start', meanOpinion(began)],
        ['mean opinion at the end', meanOpinion(world)],
        ...(resting === null ? [] : [['mean opinion at rest', resting] as const]),
        ['polarisation at the start', polarisation(began)],
        ['polarisation at the end', polarisation(world)],
      ];
    },
  },
  {
    formula: 'Virtue-weighted utility',
    equation: `u = (1 + clamp(${GAIN}·Σ w·e + interest·stake + lure·drift ÷ 10 + temper)) ÷ 2`,
    matters: (world, began) => Math.abs(mostMoved(world, began).by) >= NOTICEABLE,
    values: (world, began) => {
      const { id, was, is } = mostMoved(world, began);
      return [
        ...VIRTUES.filter((virtue) => world.effects[virtue] !== began.effects[virtue]).flatMap(
          (virtue): Value[] => [
            [`effect on ${virtue} at the start`, began.effects[virtue]],
            [`effect on ${virtue} at the end`, world.effects[virtue]],
          ],
        ),
        [`own opinion of ${id} at the start`, was],
        [`own opinion of ${id} at the end`, is],
      ];
    },
  },
  {
    formula: 'Quorum and consensus',
    equation: 'turnout = (support + oppose) ÷ all; agreement = support ÷ (support + oppose)',
    matters: ({ deliberation }) => deliberation.votes.length > 0,
    values: ({ deliberation: { votes }, levers }) => [
      ['quorum at the end', levers.quorum],
      ['consensus at the end', levers.consensus],
      ...votes.flatMap(({ tick, turnout, agreement, result }): Value[] => [
        [`turnout on day ${tick}`, turnout],
        [`agreement on day ${tick}`, agreement],
        [`vote on day ${tick}`, result === 'no_quorum' ? 'no quorum' : result],
      ]),
    ],
  },
  {
    formula: 'Dissent protocol',
    equation: 'a dissent against a carried proposal holds it up once',
    matters: ({ deliberation }) => deliberation.dissent !== 'none',
    values: ({ deliberation: { dissent, dissenters } }) => [
      ['dissenters', listed(dissenters)],
      ['answer', dissent === 'pending' ? 'none' : dissent],
    ],
  },
  {
    formula: 'Coordination score and logistic reward',
    equation: `score = ${SCORE_FORMULA}; R = ${REWARD.L} ÷ (1 + e^(−${REWARD.k}·(score − ${REWARD.x0}))) × M_c`,
    matters: (world) => changedMultipliers(world).length > 0,
    values: (world) =>
      changedMultipliers(world).flatMap((cathedral): Value[] => {
        const of = (minted: readonly number[]) =>
          inMic(
            minted.reduce((sum, one, i) => sum + (world.sentinels[i]!.cathedral === cathedral ? one : 0), 0),
          );
        return [
          [`M_c of ${cathedral} at the start`, world.unchanged.multipliers[cathedral] ?? 1],
          [`M_c of ${cathedral} at the end`, world.economy.multipliers[cathedral] ?? 1],
          [`MIC minted by ${cathedral}`, of(world.conditions.minted)],
          [`MIC minted by ${cathedral} under the rules of the start`, of(world.unchanged.minted)],
        ];
      }),
  },
  {
    formula: 'MII decay',
    equation: 'threshold = 95 − 2·log10(total_MIC ÷ 1e6), in percent; minting while MII ≥ threshold',
    matters: ({ economy }) => economy.stopped > 0,
    values: ({ began, economy, tick }) => [
      ['integrity index at the start', began.mii],
      ['integrity index at the end', economy.mii],
      ['threshold at the start', began.threshold],
      ['threshold at the end', economy.threshold],
      ['days without minting', economy.stopped],
      ['days', tick],
    ],
  },
  {
    formula: 'Supply',
    equation: 'total = circulating + locked + burned',
    matters: ({ economy, unchanged }) => Math.abs(economy.circulating - unchanged.circulating) >= MICRO,
    values: ({ economy, unchanged, began }) => [
      ['MIC minted', inMic(economy.total - began.total)],
      ['MIC circulating at the end', inMic(economy.circulating)],
      ['MIC circulating under the rules of the start', inMic(unchanged.circulating)],
      ['MIC locked at the end', inMic(economy.locked)],
      ['MIC burned at the end', inMic(economy.burned)],
    ],
  },
  {
    formula: 'Drift',
    equation:
      'drift(t+1) = drift(t) + noise + recovery·(usual − drift) + pressure + contagion·(W·drift − drift)',
    matters: (world) => mostDrifted(world).above >= DRIFTED,
    values: (world) => {
      const { id, drift, usual } = mostDrifted(world);
      return [
        [`drift of ${id} at the end`, drift],
        [`usual drift of ${id}`, usual],
        ['recovery at the end', world.levers.recovery],
        ['contagion at the end', world.levers.contagion],
      ];
    },
  },
];

function mostMoved(world: World, began: World) {
  const [was, is] = [ownOpinions(began), ownOpinions(world)];
  const all = world.sentinels.map(({ id }, i) => ({ id, was: was[i]!, is: is[i]!, by: is[i]! - was[i]! }));
  return all.reduce((most, one) => (Math.abs(one.by) > Math.abs(most.by) ? one : most));
}

function mostDrifted({ sentinels, conditions }: World) {
  const all = sentinels.map(({ id, usualDrift: usual }, i) => {
    const drift = conditions.drift[i]!;
    return { id, drift, usual, above: drift - usual };
  });
  return all.reduce((most, one) => (one.above > most.above ? one : most));
}

function changedMultipliers({ economy, unchanged }: World) {
  const cathedrals = Object.keys(economy.multipliers) as (keyof typeof economy.multipliers)[];
  return cathedrals.filter((one) => economy.multipliers[one] !== unchanged.multipliers[one]);
}
