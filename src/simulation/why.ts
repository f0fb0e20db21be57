import { inMic } from './economy.ts';
import { influenceMatrix, statusOf } from './influence.ts';
import { meanOpinion, ownOpinions } from './opinions.ts';
import { restingPoint, totalInfluence } from './resting-point.ts';
import { roundTo6 } from './round-to-6.ts';
import { GAIN, unboundedUtility } from './utility.ts';
import { VIRTUES, type Virtue } from './virtues.ts';
import type { Sentinel, World } from './world.ts';

/** What can move a sentinel’s own opinion: the five virtues, its weights (a briefing), the stake, the weight of interest, the lure, its temper. */
export const OWN_PARTS = [...VIRTUES, 'weights', 'stake', 'interest', 'lure', 'temper', 'limit'] as const;
export type OwnPart = (typeof OWN_PARTS)[number];

/** What can move the opinion at which a sentinel comes to rest. */
export const RESTING_PARTS = ['by_itself', 'by_others', 'by_ties'] as const;
type RestingPart = (typeof RESTING_PARTS)[number];

interface Moved {
  before: number;
  after: number;
}

export interface WhySentinel {
  id: string;
  own_opinion: Moved;
  /**
   * The change of its own opinion by cause; the parts sum to it. A virtue’s part is 3 · weight · Δeffect ÷ 2, and `limit` is what the
   * bounds of the utility, −1 and 1, take away or give back.
   */
  own_parts: Readonly<Record<OwnPart, number>>;
  /** Null where it is offline or the equation has no single solution. */
  resting_opinion: Moved | null;
  /**
   * The change of its resting opinion; the parts sum to it. `by_itself`: its own opinion changed; `by_others`: the own opinions of those
   * it hears, directly or by way of others; `by_ties`: changes of influence or stubbornness.
   */
  resting_parts: Readonly<Record<RestingPart, number>> | null;
}

/** What kinds of values an action can change. */
export const CHANGEABLE = [
  'lever',
  'effect',
  'stake',
  'multiplier',
  'trust',
  'stubbornness',
  'pressure',
  'drift',
  'opinion',
  'temper',
  'status',
  'economy',
  'risks',
  'deliberation',
] as const;

/** A value of the world that an action changed. `name`: the lever, virtue, cathedral or sentinel. */
export interface Changed {
  what: (typeof CHANGEABLE)[number];
  name: string;
  before: number | string;
  after: number | string;
}

interface InfluenceChange {
  listener: string;
  speaker: string;
  before: number;
  after: number;
}

/** What an action moved at once, before the next exchange of views. */
export interface Why {
  sentinels: readonly WhySentinel[];
  /** Over the sentinels online; null where it has no single solution, or nobody is online. */
  mean_resting_opinion: { before: number | null; after: number | null };
  changed: readonly Changed[];
  /** At most three each, the largest change first. */
  influences: { grew: readonly InfluenceChange[]; shrank: readonly InfluenceChange[] };
}

export function whyOf(before: World, after: World): Why {
  const own = { before: ownOpinions(before), after: ownOpinions(after) };
  const resting = restingChanges(before, after, own);
  return {
    sentinels: after.sentinels.map(({ id }, i) => ({
      id,
      own_opinion: { before: own.before[i]!, after: own.after[i]! },
      own_parts: ownParts(before, after, i, own),
      ...resting[i]!,
    })),
    mean_resting_opinion: { before: meanRestingOpinion(before), after: meanRestingOpinion(after) },
    changed: changedValues(before, after),
    influences: influenceChanges(before, after),
  };
}

type Pair = Record<'before' | 'after', readonly number[]>;

function ownParts(before: World, after: World, i: number, own: Pair): WhySentinel['own_parts'] {
  const [was, is] = [before.sentinels[i]!, after.sentinels[i]!];
  const stake = ({ stakes }: World) => stakes[is.cathedral] ?? 0;
  const pull = ({ levers, conditions }: World) => (levers.lure * conditions.drift[i]!) / 10;
  let reweighed = 0;
  for (const virtue of VIRTUES)
    reweighed += (is.weights[virtue] - was.weights[virtue]) * after.effects[virtue];
  const utilities: [Exclude<OwnPart, 'limit'>, number][] = [
    ...VIRTUES.map((virtue): [Virtue, number] => [
      virtue,
      GAIN * was.weights[virtue] * (after.effects[virtue] - before.effects[virtue]),
    ]),
    ['weights', GAIN * reweighed],
    ['stake', before.levers.interest * (stake(after) - stake(before))],
    ['interest', (after.levers.interest - before.levers.interest) * stake(after)],
    ['lure', pull(after) - pull(before)],
    ['temper', is.temper - was.temper],
  ];
  const start = (1 + unboundedUtility(was, before.conditions.drift[i]!, before)) / 2;
  const { parts, sum } = roundedParts(
    start,
    utilities.map(([name, part]) => [name, part / 2]),
  );
  return { ...parts, limit: roundTo6(own.after[i]! - own.before[i]! - sum) };
}

/** Rounds running totals instead of the parts, so that the rounded parts sum to the rounded whole. */
function roundedParts<Name extends string>(start: number, exact: readonly (readonly [Name, number])[]) {
  const parts = {} as Record<Name, number>;
  const first = roundTo6(start);
  let total = start;
  let rounded = first;
  for (const [name, part] of exact) {
    total += part;
    const next = part === 0 ? rounded : roundTo6(total);
    parts[name] = roundTo6(next - rounded);
    rounded = next;
  }
  return { parts, sum: roundTo6(rounded - first) };
}

type Resting = Pick<WhySentinel, 'resting_opinion' | 'resting_parts'>;

function restingChanges(before: World, after: World, own: Pair): Resting[] {
  const [was, is] = [restingPoint(before), restingPoint(after)];
  const total = totalInfluence(before);
  const size = after.sentinels.length;
  return after.sentinels.map(({ isOnline }, i) => {
    if (!was || !is || !total || !isOnline || !before.sentinels[i]!.isOnline)
      return { resting_opinion: null, resting_parts: null };
    let heard = 0;
    for (let j = 0; j < size; j += 1)
      if (j !== i) heard += total[i * size + j]! * (own.after[j]! - own.before[j]!);
    const { parts, sum } = roundedParts(was[i]!, [
      ['by_itself', total[i * size + i]! * (own.after[i]! - own.before[i]!)],
      ['by_others', heard],
    ]);
    return {
      resting_opinion: { before: was[i]!, after: is[i]! },
      resting_parts: { ...parts, by_ties: roundTo6(is[i]! - was[i]! - sum) },
    };
  });
}

/** The mean resting opinion of the sentinels that are online; null if none is, or the equation has no single solution. */
export function meanRestingOpinion(world: World): number | null {
  const opinion = restingPoint(world);
  if (opinion === null || !world.sentinels.some(({ isOnline }) => isOnline)) return null;
  return meanOpinion({ sentinels: world.sentinels, conditions: { ...world.conditions, opinion } });
}

function changedValues(before: World, after: World): Changed[] {
  return CHANGEABLE.flatMap((what) => {
    const was = VALUES[what](before);
    return Object.entries(VALUES[what](after)).flatMap(([name, value]) =>
      value === was[name] ? [] : [{ what, name, before: was[name] ?? 0, after: value }],
    );
  });
}

type Values = Readonly<Record<string, number | string>>;

function bySentinel(read: (sentinel: Sentinel, i: number, world: World) => number | string) {
  return (world: World): Values =>
    Object.fromEntries(world.sentinels.map((one, i) => [one.id, read(one, i, world)]));
}

/** The values that an action can change, each by name. */
const VALUES: Readonly<Record<Changed['what'], (world: World) => Values>> = {
  lever: ({ levers }) => levers,
  effect: ({ effects }) => effects,
  stake: ({ stakes }) => stakes as Values,
  multiplier: ({ economy }) => economy.multipliers as Values,
  trust: bySentinel(({ trust }) => trust),
  stubbornness: bySentinel(({ stubbornness }) => stubbornness),
  pressure: bySentinel(({ pressure }) => pressure),
  drift: bySentinel((_, i, { conditions }) => conditions.drift[i]!),
  opinion: bySentinel((_, i, { conditions }) => conditions.opinion[i]!),
  temper: bySentinel(({ temper }) => temper),
  status: bySentinel(statusOf),
  economy: ({ economy: { circulating, locked, burned, strain } }) => ({
    circulating: inMic(circulating),
    locked: inMic(locked),
    burned: inMic(burned),
    strain,
  }),
  risks: ({ risks: { known, mitigated } }) => ({ known, mitigated }),
  deliberation: ({ deliberation: { status, rounds, roundEnds } }) => ({
    status,
    rounds,
    round_ends: roundEnds,
  }),
};

const MOST_INFLUENCES = 3;

function influenceChanges(before: World, after: World): Why['influences'] {
  const [was, is] = [before, after].map(({ sentinels, levers }) => influenceMatrix(sentinels, levers));
  const ids = after.sentinels.map(({ id }) => id);
  const changes = ids.flatMap((listener, i) =>
    ids.flatMap((speaker, j) => {
      const place = i * ids.length + j;
      const change = { listener, speaker, before: roundTo6(was![place]!), after: roundTo6(is![place]!) };
      return i === j || change.before === change.after ? [] : [change];
    }),
  );
  const ranked = changes.sort((a, b) => b.after - b.before - (a.after - a.before));
  return {
    grew: ranked.filter((one) => one.after > one.before).slice(0, MOST_INFLUENCES),
    shrank: ranked
      .filter((one) => one.after < one.before)
      .reverse()
      .slice(0, MOST_INFLUENCES),
  };
}
