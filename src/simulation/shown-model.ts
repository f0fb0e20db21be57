import { influenceMatrix } from './influence.ts';
import type { Levers } from './levers.ts';
import { stubbornnessOf } from './opinions.ts';
import { restingPoint } from './resting-point.ts';
import { roundTo6 } from './round-to-6.ts';
import type { ByVirtue } from './virtues.ts';
import type { Sentinel, World } from './world.ts';

export interface ShownModel {
  levers: Levers;
  /** What the proposal does to each virtue. */
  effects: ByVirtue;
  stakes: World['stakes'];
  /** W: a row per listener, a column per speaker, in the order of the sentinels; rounded to six places. */
  influence: readonly (readonly number[])[];
  sentinels: readonly (Pick<Sentinel, 'id' | 'weights' | 'trust' | 'temper' | 'pressure'> & {
    /** Times the lever of that name. */
    stubbornness: number;
    /** Where its opinion comes to rest if nothing changes any more; null if the equation has no single solution. */
    resting_opinion: number | null;
  })[];
}

type Inputs = Pick<World, 'levers' | 'effects' | 'stakes'> & { drift: readonly number[] | null };
interface Known extends Inputs {
  model: ShownModel;
}

/** Cached by the list of sentinels: from tick to tick the model stays the same, and only events and choices change it. */
const MODELS = new WeakMap<World['sentinels'], Known>();

/** All that the next exchange of views follows from, besides the opinions themselves. */
export function shownModel(world: World): ShownModel {
  const { sentinels, levers, effects, stakes, conditions } = world;
  // Own opinions follow drift only where there is a lure.
  const drift = levers.lure === 0 ? null : conditions.drift;
  const known = MODELS.get(sentinels);
  if (
    known?.levers === levers &&
    known.effects === effects &&
    known.stakes === stakes &&
    known.drift === drift
  )
    return known.model;
  const model = modelOf(world);
  MODELS.set(sentinels, { levers, effects, stakes, drift, model });
  return model;
}

function modelOf(world: World): ShownModel {
  const { sentinels, levers, effects, stakes } = world;
  const matrix = influenceMatrix(sentinels, levers);
  const size = sentinels.length;
  const resting = restingPoint(world);
  return {
    levers,
    effects,
    stakes,
    influence: sentinels.map((_, i) => Array.from(matrix.subarray(i * size, (i + 1) * size), roundTo6)),
    sentinels: sentinels.map((sentinel, i) => ({
      id: sentinel.id,
      weights: sentinel.weights,
      trust: sentinel.trust,
      temper: sentinel.temper,
      pressure: sentinel.pressure,
      stubbornness: stubbornnessOf(sentinel, levers),
      resting_opinion: resting === null ? null : resting[i]!,
    })),
  };
}
