import type { Cathedral } from '../../pipeline/ledger/events/event.ts';
import { LEVER_NAMES, LEVERS, type Lever, type Levers } from './levers.ts';
import { clamp, roundTo6 } from './round-to-6.ts';

import { byVirtue, type Economy, type Sentinel, type Status, type Virtue, type World } from './world.ts';

/** Changes of a sentinel; `drift` changes its condition, the rest the sentinel itself. */
type SentinelChange = Partial<
  Pick<Sentinel, 'trust' | 'stubbornness' | 'pressure' | 'isOnline' | 'isRecused'> & { drift: number }
>;

/** The effects of a choice or an event on the world. Members that are not given change nothing. */
export interface Change {
  /** Puts the opposite question: what was for the proposal is against it, before anything else changes. */
  opposite?: true;
  /** Added to the proposal's effect on each virtue. */
  effects?: Partial<Record<Virtue, number>>;
  /** Added to the stake of each cathedral. */
  stakes?: Partial<Record<Cathedral, number>>;
  /** Set. */
  levers?: Partial<Record<Lever, number>>;
  multipliers?: Partial<Record<Cathedral, number>>;
  sentinels?: Readonly<Record<string, SentinelChange>>;
  /** Added. */
  strain?: number;
  /** The share of the circulating MIC that is burned at once, and of the locked MIC that is released. */
  burn?: number;
  unlock?: number;
  /** Added. */
  risks?: { known?: number; mitigated?: number };
  /** Set. */
  facts?: Readonly<Record<string, number>>;
  /** Added to the time box. */
  rounds?: number;
  /** Ends the deliberation without a vote. */
  status?: Extract<Status, 'imposed' | 'withdrawn'>;
  /** A note to the player. */
  told?: string;
  /** A further change, of the world with this one. */
  follows?: Effect;
}

/** A change, or how it follows from the world and from the values that were given with a choice. */
export type Effect = Change | ((world: World, given: Readonly<Record<string, number>>) => Change);

export function changeOf(effect: Effect, world: World, given: Readonly<Record<string, number>> = {}): Change {
  return typeof effect === 'function' ? effect(world, given) : effect;
}

/** Clamps each value to its range. */
export function applyChange(before: World, change: Change): World {
  const world = change.opposite ? turned(before) : before;
  const { effects, stakes, levers, sentinels, risks, facts, told } = change;
  const next: World = {
    ...world,
    effects: effects
      ? byVirtue((virtue) => bounded(world.effects[virtue] + (effects[virtue] ?? 0), -1, 1))
      : world.effects,
    stakes: stakes
      ? {
          ...world.stakes,
          ...mapped(stakes, (stake, name) => bounded((world.stakes[name as Cathedral] ?? 0) + stake, -1, 1)),
        }
      : world.stakes,
    levers: levers ? setLevers(world.levers, levers) : world.levers,
    economy: changeEconomy(world.economy, change),
    deliberation: changeDeliberation(world, change),
    risks: {
      known: world.risks.known + (risks?.known ?? 0),
      mitigated: world.risks.mitigated + (risks?.mitigated ?? 0),
    },
    facts: { ...world.facts, ...mapped(facts, roundTo6) },
    log: told ? noted(world, told) : world.log,
  };
  const changed = sentinels ? changeSentinels(next, sentinels) : next;
  return change.follows ? applyChange(changed, changeOf(change.follows, changed)) : changed;
}

export function noted({ log, tick }: World, ...texts: string[]): World['log'] {
  return [...log, ...texts.map((text) => ({ tick, text }))];
}

/** Every term of the utility changes sign, so that each opinion becomes its complement. */
function turned(world: World): World {
  const { conditions, levers } = world;
  return {
    ...world,
    effects: byVirtue((virtue) => bounded(-world.effects[virtue], -1, 1)),
    stakes: mapped(world.stakes, (stake) => bounded(-stake, -1, 1)),
    levers: { ...levers, lure: bounded(-levers.lure, -1, 1) },
    sentinels: world.sentinels.map((one) => ({ ...one, temper: bounded(-one.temper, -1, 1) })),
    conditions: {
      ...conditions,
      opinion: conditions.opinion.map((share) => bounded(1 - share, 0, 1)),
    },
  };
}

/** Each value by `to`, under its name. */
function mapped(
  values: Readonly<Record<string, number>> = {},
  to: (value: number, name: string) => number,
): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]));
}

function bounded(value: number, least: number, most: number): number {
  return roundTo6(clamp(value, least, most));
}

export function setLevers(levers: Levers, set: Partial<Record<Lever, number>>): Levers {
  const values = LEVER_NAMES.map((name) => {
    const { least, most } = LEVERS[name];
    return [name, bounded(set[name] ?? levers[name], least, most)];
  });
  return Object.fromEntries(values) as Levers;
}

function changeEconomy(economy: Economy, change: Change): Economy {
  const { multipliers, strain = 0, burn = 0, unlock = 0 } = change;
  const free = Math.floor(economy.locked * unlock);
  const burned = Math.floor(economy.circulating * burn);
  return {
    ...economy,
    strain: bounded(economy.strain + strain, 0, 1),
    multipliers: { ...economy.multipliers, ...mapped(multipliers, (m) => bounded(m, 1, 2)) },
    circulating: economy.circulating + free - burned,
    locked: economy.locked - free,
    burned: economy.burned + burned,
  };
}

function changeDeliberation({ deliberation }: World, { rounds = 0, status }: Change): World['deliberation'] {
  const isOver = deliberation.status !== 'open' && deliberation.status !== 'held';
  return {
    ...deliberation,
    rounds: deliberation.rounds + rounds,
    status: status && !isOver ? status : deliberation.status,
  };
}

function changeSentinels(world: World, changes: NonNullable<Change['sentinels']>): World {
  return {
    ...world,
    sentinels: world.sentinels.map((sentinel) => {
      const { drift: _, ...change } = changes[sentinel.id] ?? {};
      return { ...sentinel, ...change };
    }),
    conditions: {
      ...world.conditions,
      drift: world.conditions.drift.map((before, i) => {
        const drift = changes[world.sentinels[i]!.id]?.drift;
        return drift === undefined ? before : bounded(drift, 0, 10);
      }),
    },
  };
}
