import type { Cathedral } from '../../pipeline/ledger/event.ts';
import type { Levers } from './levers.ts';
import type { ByVirtue } from './virtues.ts';

/** What of a sentinel changes with events only. As long as the list is the same object, so is the influence matrix. */
export interface Sentinel {
  id: string;
  cathedral: Cathedral;
  role: string;
  /** What it looks after, for the score formula. */
  apps: number;
  packages: number;
  workflows: number;
  /** Where drift (0–10) and gi (0–1) are without pressure. */
  usualDrift: number;
  usualGi: number;
  /** Sum to 1. */
  weights: ByVirtue;
  /** 1 − susceptibility, in [0, 1]: how much of its own judgement stays in its opinion. */
  stubbornness: number;
  /** How much it is listened to; 1 is the mean. */
  trust: number;
  /** What nobody can explain by virtues: added to its utility. */
  temper: number;
  /** Drift that is added per tick. */
  pressure: number;
  isOnline: boolean;
  /** Takes no part in the matter: neither speaks nor votes. */
  isRecused: boolean;
}

/**
 * What of the sentinels changes every tick, in their order. A list for each quantity: its numbers lie side by side in memory, and
 * a tick makes a few lists instead of several objects for each sentinel.
 */
export interface Conditions {
  /** In [0, 1]: 0 rejects the proposal, 1 adopts it. */
  opinion: readonly number[];
  /** What each thinks of the proposal by itself, in [0, 1]. */
  innate: readonly number[];
  /** 0–10 */
  drift: readonly number[];
  /** Days */
  uptime: readonly number[];
  gi: readonly number[];
  /** Coordination scores, points. */
  score: readonly number[];
  /** Of the last tick and in all; millionths of a MIC. */
  reward: readonly number[];
  minted: readonly number[];
  /** Ticks since the last reward. */
  unpaid: readonly number[];
}

/** Stocks in millionths of a MIC: whole numbers below 2⁵³, so that their sums are exact. */
export interface Economy {
  total: number;
  circulating: number;
  locked: number;
  burned: number;
  mii: number;
  threshold: number;
  isMinting: boolean;
  /** What the integrity index is short of the mean gi. */
  strain: number;
  multipliers: Readonly<Partial<Record<Cathedral, number>>>;
  /** Ticks in which nothing could be minted. */
  stopped: number;
}

export type Status =
  | 'open'
  /** Carried, but a dissent is waiting for an answer. */
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
  /** Support ÷ positions taken; 0 where none was taken. */
  agreement: number;
  result: 'carried' | 'rejected' | 'divided' | 'no_quorum';
}

export interface Deliberation {
  status: Status;
  /** From 1. */
  round: number;
  /** As many as the time box has. */
  rounds: number;
  /** The tick after which the round's vote is taken. */
  roundEnds: number;
  votes: readonly Vote[];
  /** Who holds the decision up, or did. */
  dissenters: readonly string[];
  dissent: 'none' | 'pending' | 'heard' | 'overridden';
}

export interface OpenDecision {
  name: string;
  since: number;
  /** The first tick that decides without the player. */
  until: number;
}

export interface Taken {
  tick: number;
  decision: string;
  choice: string;
  /** Nobody chose in time. */
  isDefault: boolean;
}

/** The whole state of a run: plain JSON, each number rounded to six places. */
export interface World {
  tick: number;
  sentinels: readonly Sentinel[];
  conditions: Conditions;
  levers: Levers;
  /** What the proposal does to each virtue, in [−1, 1]. */
  effects: ByVirtue;
  /** What each cathedral has at stake in it, in [−1, 1]. */
  stakes: Readonly<Partial<Record<Cathedral, number>>>;
  economy: Economy;
  deliberation: Deliberation;
  open: readonly OpenDecision[];
  taken: readonly Taken[];
  /** Known risks, and those that something was done about. */
  risks: { known: number; mitigated: number };
  /** What a scenario has to remember. */
  facts: Readonly<Record<string, number>>;
  /** Events of the scenario that have happened. */
  past: readonly string[];
  /** Told since the last tick began. */
  happened: readonly string[];
  /** Largest change of an opinion in the last tick. */
  movement: number;
  /** Key of the ending, when the run is over. */
  ending: string | null;
  /** As the run began, for the debrief. */
  began: { meanOpinion: number; polarisation: number; mii: number; threshold: number; total: number };
}
