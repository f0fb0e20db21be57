import { REWARD, SCORE_FORMULA } from '../../pipeline/model/formulas.ts';
import { DISSENT, decisionOf } from './decisions.ts';
import { listed } from './deliberation.ts';
import { MICRO } from './economy.ts';
import { meanOpinion, polarisation } from './opinions.ts';
import type { Ending, Scenario } from './scenario.ts';
import { GAIN } from './utility.ts';
import { VIRTUES } from './virtues.ts';
import type { World } from './world.ts';

/** A formula, and its effect in this run in numbers. */
export interface Explained {
  formula: string;
  equation: string;
  said: string;
}

export interface Debrief {
  ending: string;
  title: string;
  text: string;
  lesson: string;
  /** The choices made, in order. */
  choices: { tick: number; decision: string; choice: string; by: 'you' | 'time' }[];
  explained: Explained[];
}

/** For a run that has ended. */
export function debriefOf(world: World, scenario: Scenario): Debrief {
  const ending = endingOf(world, scenario);
  return {
    ending: ending.name,
    title: ending.title,
    text: ending.text,
    lesson: scenario.lesson,
    choices: world.taken.map(({ tick, decision, choice, isDefault }) => ({
      tick,
      decision: decision === DISSENT.name ? DISSENT.title : decisionOf(scenario, decision).title,
      choice,
      by: isDefault ? 'time' : 'you',
    })),
    explained: EXPLANATIONS.map(({ formula, equation, say }) => ({ formula, equation, said: say(world) })),
  };
}

export function endingOf({ ending }: World, { endings }: Scenario): Ending {
  return endings.find(({ name }) => name === ending)!;
}

const EXPLANATIONS: readonly { formula: string; equation: string; say: (world: World) => string }[] = [
  {
    formula: 'Opinion dynamics (Friedkin and Johnsen, 1990)',
    equation: 'x(t+1) = Λ·W·x(t) + (I − Λ)·u',
    say: (world) =>
      `Opinions began at a mean of ${fixed(world.began.meanOpinion)} with a polarisation of ${fixed(world.began.polarisation, 3)} and ended at ${fixed(meanOpinion(world))} with ${fixed(polarisation(world), 3)}; in the last tick the largest step was ${fixed(world.movement, 4)}.`,
  },
  {
    formula: 'Virtue-weighted utility',
    equation: `u = (1 + clamp(${GAIN}·Σ w·e + interest·stake + lure·drift ÷ 10 + temper)) ÷ 2`,
    say: (world) => {
      const effects = VIRTUES.map((virtue) => `${virtue} ${signed(world.effects[virtue])}`);
      return `What became of the proposal does this to the virtues: ${effects.join(', ')}. Interest weighed ${fixed(world.levers.interest)}.`;
    },
  },
  {
    formula: 'Quorum and consensus',
    equation: 'turnout = (support + oppose) ÷ all; agreement = support ÷ (support + oppose)',
    say: ({ deliberation, levers }) => {
      const needed = `Needed were a turnout of ${fixed(levers.quorum)} and an agreement of ${fixed(levers.consensus)}.`;
      const votes = deliberation.votes.map(
        ({ tick, support, oppose, abstain, result }) =>
          `tick ${tick}: ${support} for, ${oppose} against, ${abstain} abstained (${result.replace('_', ' ')})`,
      );
      return `${needed} ${votes.length === 0 ? 'There was no vote.' : `Votes: ${votes.join('; ')}.`}`;
    },
  },
  {
    formula: 'Dissent protocol',
    equation: 'who opposes what is carried holds it up once',
    say: ({ deliberation: { dissent, dissenters } }) =>
      dissent === 'none' ? 'There was no dissent.' : `${listed(dissenters)} dissented; it was ${dissent}.`,
  },
  {
    formula: 'Coordination score and logistic reward',
    equation: `score = ${SCORE_FORMULA}; R = ${REWARD.L} ÷ (1 + e^(−${REWARD.k}·(score − ${REWARD.x0}))) × M_c`,
    say: sayRewards,
  },
  {
    formula: 'MII decay',
    equation: 'threshold = 95 − 2·log10(total_MIC ÷ 1e6), in percent; minting while MII ≥ threshold',
    say: ({ began, economy, tick }) =>
      `The index went from ${fixed(began.mii, 4)} to ${fixed(economy.mii, 4)}, its threshold from ${fixed(began.threshold, 4)} to ${fixed(economy.threshold, 4)}. In ${economy.stopped} of ${tick} ticks nothing was minted.`,
  },
  {
    formula: 'Supply',
    equation: 'total = circulating + locked + burned',
    say: ({ began, economy: { total, circulating, locked, burned } }) =>
      `${mic(total - began.total)} MIC were minted: ${mic(total)} = ${mic(circulating)} + ${mic(locked)} + ${mic(burned)}.`,
  },
];

function sayRewards({ sentinels, conditions, economy }: World): string {
  const { score, minted } = conditions;
  const most = minted.reduce((best, amount, i) => (amount > minted[best]! ? i : best), 0);
  const least = minted.reduce((worst, amount, i) => (amount < minted[worst]! ? i : worst), 0);
  const say = (i: number) => {
    const { id, cathedral } = sentinels[i]!;
    return `${id} (score ${fixed(score[i]!, 1)}, M_c ${economy.multipliers[cathedral] ?? 1}) ${mic(minted[i]!)} MIC`;
  };
  return `Most was minted by ${say(most)}, least by ${say(least)}.`;
}

/** Writes minus as U+2212. */
function fixed(value: number, places = 2): string {
  return value.toFixed(places).replace('-', '−');
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${fixed(Math.abs(value))}`;
}

/** `4,012,345`. Not Intl, whose data differ between engines. */
function mic(micro: number): string {
  return Math.round(micro / MICRO)
    .toFixed(0)
    .replace(/\B(?=(\d{3})+$)/g, ',');
}
