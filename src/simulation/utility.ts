import { clamp, roundTo6 } from './round-to-6.ts';
import { VIRTUES, type Virtue } from './virtues.ts';
import type { Sentinel, World } from './world.ts';

/** Scales effects, which are mostly small, to distinct opinions. */
export const GAIN = 3;

type Matter = Pick<World, 'effects' | 'stakes' | 'levers'>;

/**
 * Virtue-weighted utility of the proposal for a sentinel, in [−1, 1]: GAIN × Σ weight_v × effect_v + interest × stake of its
 * cathedral + lure × drift ÷ 10 + temper.
 */
export function utility(sentinel: Sentinel, drift: number, matter: Matter): number {
  return clamp(unboundedUtility(sentinel, drift, matter), -1, 1);
}

/** The sum of the terms, which can be outside of [−1, 1]. */
export function unboundedUtility(
  sentinel: Sentinel,
  drift: number,
  { effects, stakes, levers }: Matter,
): number {
  const { weights } = sentinel;
  // Written out, because a loop over names costs as much as the rest of a tick.
  const sum =
    weights.integrity * effects.integrity +
    weights.temperance * effects.temperance +
    weights.justice * effects.justice +
    weights.prudence * effects.prudence +
    weights.courage * effects.courage;
  const stake = levers.interest * (stakes[sentinel.cathedral] ?? 0);
  return GAIN * sum + stake + (levers.lure * drift) / 10 + sentinel.temper;
}

/** A sentinel's own opinion, in [0, 1]: (1 + utility) ÷ 2. */
export function innateOpinion(sentinel: Sentinel, drift: number, matter: Matter): number {
  return roundTo6((1 + utility(sentinel, drift, matter)) / 2);
}

/** Weight × effect of each virtue, by descending absolute value. */
export function virtueParts({ weights }: Sentinel, { effects }: Pick<World, 'effects'>): [Virtue, number][] {
  return VIRTUES.map((virtue): [Virtue, number] => [virtue, weights[virtue] * effects[virtue]]).sort(
    ([, a], [, b]) => Math.abs(b) - Math.abs(a),
  );
}
