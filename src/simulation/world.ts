import type { Cathedral } from '../../pipeline/ledger/event.ts';
import type { Levers } from './levers.ts';
import type { ByVirtue } from './virtues.ts';

/** The properties of a sentinel that only events change. While the list is the same object, the influence matrix stays valid. */
export interface Sentinel {
  id: string;
  cathedral: Cathedral;
  role: string;
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
  /** Each sentinel's own opinion of the proposal, in [0, 1]. */
  innate: readonly number[];
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

/** Stocks in millionths of a MIC: integers below 2⁵³, so that sums are exact. */
export interface Economy {
  total: number;
  circulating: number;
  locked: number;
  burned: number;
  mii: number;
  threshold: number;
  isMinting: boolean;
  /** The difference between the mean gi and the integrity index. */
  strain: number;
  multipliers: Readonly<Partial<Record<Cathedral, number>>>;
  /** Number of ticks without minting. */
  stopped: number;
}

export type Status =
  | 'open'
  /** Carried, but waiting for an answer to a dissent. */
  | 'held'
  | 'adopted'
  | 'adopted_with_dissent'
  /** In force without a vote. */
  | 'imposed'
  | 'rejected'
  | 'withdrawn'
  /** The time box ended without a result. */
  | 'lapsed';

export type Position = 'support' | 'support_with_conditions' | 'oppose' | 'abstain';

export interface Vote {
  tick: number;
  support: number;
  oppose: number;
  abstain: number;
  /** Positions taken ÷ all sentinels. */
  turnout: number;
  /** Support ÷ positions taken; 0 if none was taken. */
  agreement: number;
  result: 'carried' | 'rejected' | 'divided' | 'no_quorum';
}

export interface Deliberation {
  status: Status;
  /** From 1. */
  round: number;
  /** Number of rounds in the time box. */
  rounds: number;
  /** The round's vote follows this tick. */
  roundEnds: number;
  votes: readonly Vote[];
  /** The sentinels that hold the decision up, or did. */
  dissenters: readonly string[];
  dissent: 'none' | 'pending' | 'heard' | 'overridden';
}

export interface OpenDecision {
  name: string;
  since: number;
  /** The first tick at which the default choice applies. */
  until: number;
}

export interface Taken {
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
  deliberation: Deliberation;
  open: readonly OpenDecision[];
  taken: readonly Taken[];
  /** Known risks, and those that were addressed. */
  risks: { known: number; mitigated: number };
  /** Values that a scenario stores. */
  facts: Readonly<Record<string, number>>;
  /** Events of the scenario that have happened. */
  past: readonly string[];
  /** Notes since the start of the last tick. */
  happened: readonly string[];
  /** Largest change of an opinion in the last tick. */
  movement: number;
  /** Key of the ending, when the run is over. */
  ending: string | null;
  /** The initial values, for the debrief. */
  began: { meanOpinion: number; polarisation: number; mii: number; threshold: number; total: number };
}
