import { virtueDistance } from '../../../../simulation/influence.ts';
import { stubbornnessOf } from '../../../../simulation/opinions.ts';
import { startRun, stepRun } from '../../../../simulation/run.ts';
import { scenarioNamed } from '../../../../simulation/scenarios.ts';
import { GAIN } from '../../../../simulation/utility.ts';
import { VIRTUES, type Virtue } from '../../../../simulation/virtues.ts';

/** Decimals of all numbers on the sheet: with these, the result is right to three. */
export const PLACES = 4;

/** One opinion after one tick, in the steps of a calculation by hand. Every number is rounded as a pupil writes it down. */
export interface TickByHand {
  title: string;
  seed: number;
  sentinel: string;
  virtues: readonly { virtue: Virtue; weight: number; effect: number; product: number }[];
  /** Of the products. */
  sum: number;
  gain: number;
  interest: number;
  stake: number;
  lure: number;
  drift: number;
  temper: number;
  utility: number;
  own: number;
  kinship: number;
  reach: number;
  listened: readonly {
    id: string;
    isKin: boolean;
    isSelf: boolean;
    distance: number;
    /** Before the row is scaled to sum to 1. */
    raw: number;
    share: number;
    opinion: number;
    part: number;
  }[];
  rawSum: number;
  heard: number;
  stubbornness: number;
  next: number;
  /** The engine’s, to its six places. */
  exact: number;
}

/** The first tick of a sentinel in a run without actions. */
export function tickByHand(scenario: string, seed: number, sentinel: string): TickByHand {
  const begun = startRun(scenario, seed);
  const { world } = begun;
  const i = world.sentinels.findIndex(({ id }) => id === sentinel);
  const self = world.sentinels[i]!;
  const { levers, effects, stakes, conditions } = world;

  const virtues = VIRTUES.map((virtue) => {
    const [weight, effect] = [written(self.weights[virtue]), written(effects[virtue])];
    return { virtue, weight, effect, product: written(weight * effect) };
  });
  const sum = written(virtues.reduce((total, { product }) => total + product, 0));
  const { interest, lure, kinship, reach } = levers;
  const stake = written(stakes[self.cathedral] ?? 0);
  const drift = written(conditions.drift[i]!);
  const temper = written(self.temper);
  const unbounded = written(GAIN * sum + interest * stake + (lure * drift) / 10 + temper);
  const utility = Math.max(-1, Math.min(1, unbounded));
  const own = written((1 + utility) / 2);

  const influences = world.sentinels.map((speaker, j) => {
    const isKin = speaker.cathedral === self.cathedral;
    const distance = written(virtueDistance(self.weights, speaker.weights));
    const kin = isKin ? 1 + kinship : 1;
    const far = distance / reach;
    const raw = j === i ? 1 : written((speaker.trust * kin) / (1 + far * far));
    // In the model, opinions begin as everybody’s own.
    const opinion = j === i ? own : written(conditions.opinion[j]!);
    return { id: speaker.id, isKin, isSelf: j === i, distance, raw, opinion };
  });
  const rawSum = written(influences.reduce((total, { raw }) => total + raw, 0));
  const listened = influences.map((one) => {
    const share = written(one.raw / rawSum);
    return { ...one, share, part: written(share * one.opinion) };
  });
  const heard = written(listened.reduce((total, { part }) => total + part, 0));
  const stubbornness = written(stubbornnessOf(self, levers));
  const next = written((1 - stubbornness) * heard + stubbornness * own);
  const exact = stepRun(begun).world.conditions.opinion[i]!;
  const given = { title: scenarioNamed(scenario).title, seed, sentinel, virtues, sum, gain: GAIN };
  const ofMatter = { interest, stake, lure, drift, temper, utility, own, kinship, reach };
  return { ...given, ...ofMatter, listened, rawSum, heard, stubbornness, next, exact };
}

function written(value: number): number {
  return Number(value.toFixed(PLACES));
}

/** The example of the sheet. */
export const EXAMPLE = { scenario: 'moral_dilemma', seed: 1, sentinel: 'ECHO' } as const;
