import type { Cathedral } from '../../pipeline/ledger/events/event.ts';
import type { Virtue } from '../../pipeline/ledger/events/vocabulary.ts';
import type { Levers } from './levers.ts';
import type { SimulationUpdate } from './protocol/server-message.ts';

export type { Virtue };

/** The ledger's virtues in its order. Repeated here so that a page with the engine need not load the event schemas. */
export const VIRTUES = [
  'integrity',
  'temperance',
  'justice',
  'prudence',
  'courage',
] as const satisfies readonly Virtue[];

export type ByVirtue = Readonly<Record<Virtue, number>>;

/** Calls `of` for each virtue, in their order. */
export function byVirtue(of: (virtue: Virtue) => number): ByVirtue {
  return Object.fromEntries(VIRTUES.map((virtue) => [virtue, of(virtue)])) as ByVirtue;
}

/** The properties of a sentinel that only events change. While the list is the same object, the influence matrix stays valid. */
export interface Sentinel {
  id: string;
  cathedral: Cathedral;
  /** Its responsibility, for the score formula. */
  apps: number;
  packages: number;
  workflows: number;
  /** Drift (0–10) and gi (0–1) without pressure. */
  usualDrift: number;
  usualGi: number;
  /** Sum to 1. */
  weights: ByVirtue;
  /** 1 − susceptibility, in [0, 1]: the weight of its own judgement in its opinion. */
  stubbornness: number;
  /** Its influence; the mean is 1. */
  trust: number;
  /** An idiosyncratic term of its utility, which virtues do not explain. */
  temper: number;
  /** Drift added per tick. */
  pressure: number;
  isOnline: boolean;
  /** Recused: neither speaks nor votes on this matter. */
  isRecused: boolean;
}

/**
 * The properties of the sentinels that change every tick, in their order. One list per quantity keeps its numbers together in
 * memory, and a tick allocates a few lists instead of several objects per sentinel.
 */
export interface Conditions {
  /** In [0, 1]: 0 rejects the proposal, 1 adopts it. */
  opinion: readonly number[];
  /** 0–10 */
  drift: readonly number[];
  /** Days */
  uptime: readonly number[];
  gi: readonly number[];
  /** Coordination scores, points. */
  score: readonly number[];
  /** In the last tick and in total; millionths of a MIC. */
  reward: readonly number[];
  minted: readonly number[];
  /** Ticks since the last reward. */
  unpaid: readonly number[];
}

/** In millionths of a MIC: integers below 2⁵³, so that sums are exact. */
export interface Stocks {
  total: number;
  circulating: number;
  locked: number;
  burned: number;
}

export interface Economy extends Stocks {
  mii: number;
  threshold: number;
  isMinting: boolean;
  /** The difference between the mean gi and the integrity index. */
  strain: number;
  multipliers: Readonly<Partial<Record<Cathedral, number>>>;
  /** Number of ticks without minting. */
  stopped: number;
}

/**
 * What would be minted, and where it would be, with the multipliers and the money levers of the start: by the same scores and the same
 * integrity index, day by day beside the real economy. The difference between the two is what the player’s choices did to the supply.
 */
interface Unchanged extends Stocks {
  /** In total, by sentinel; millionths of a MIC. */
  minted: readonly number[];
  multipliers: Economy['multipliers'];
  levers: Pick<Levers, 'mint_share' | 'lock_share' | 'unlock_rate' | 'burn_rate'>;
}

type State = SimulationUpdate['current_state'];
export type Status = State['deliberation']['status'];
export type Vote = State['deliberation']['votes'][number];
export type Position = SimulationUpdate['sentinels'][number]['position'];

export interface Deliberation
  extends Pick<State['deliberation'], 'status' | 'round' | 'rounds' | 'votes' | 'dissenters' | 'dissent'> {
  /** The round's vote follows this tick. */
  roundEnds: number;
}

interface OpenDecision {
  name: string;
  /** The first tick at which the default choice applies. */
  until: number;
}

interface Taken {
  tick: number;
  decision: string;
  choice: string;
  /** Nobody chose in time, so the default choice applied. */
  isDefault: boolean;
}

/** The complete state of a run: plain JSON, with numbers rounded to six places. */
export interface World {
  tick: number;
  sentinels: readonly Sentinel[];
  conditions: Conditions;
  levers: Levers;
  /** The proposal's effect on each virtue, in [−1, 1]. */
  effects: ByVirtue;
  /** The stake of each cathedral in the proposal, in [−1, 1]. */
  stakes: Readonly<Partial<Record<Cathedral, number>>>;
  economy: Economy;
  unchanged: Unchanged;
  deliberation: Deliberation;
  open: readonly OpenDecision[];
  taken: readonly Taken[];
  /** Names of the decisions that closed without a choice, because what they were about was over. */
  lapsed: readonly string[];
  /** Known risks, and those that were addressed. */
  risks: { known: number; mitigated: number };
  /** Values that a scenario stores. */
  facts: Readonly<Record<string, number>>;
  /** Events of the scenario that have happened. */
  past: readonly string[];
  /** What happened, in sentences for the player. */
  log: State['happened'];
  /** Largest change of an opinion in the last tick. */
  movement: number;
  /** The tick since which nothing more can happen; null while something can. */
  settled: number | null;
  /** Key of the ending, when the run is over. */
  ending: string | null;
  /** At tick 0. */
  began: { polarisation: number };
}
