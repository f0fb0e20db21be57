import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** The areas that issue keys, in the order in which a key names them. Diplomacy is public and has none. */
export const KEY_AREAS = [
  'government',
  'economy',
  'academics',
  'philosophy',
] as const satisfies readonly Area[];
export type KeyArea = (typeof KEY_AREAS)[number];

export type Tier = 'government' | 'economist' | 'academic' | 'institutional';

export interface TierRules {
  /** What a key of this tier may cover, all or some of it. */
  areas: readonly KeyArea[];
  /** The default and the longest time from issue to end. */
  days: number;
  /** How a key reaches its holder unless the operator asks for the other way. */
  delivery: 'mail' | 'print';
  /** What has to be shown before a key is issued; `null`: affiliation and purpose are enough. */
  proof: 'basis' | 'verified_address' | null;
  /** What the basis is, said to an operator who gives none. */
  basis: string;
}

/**
 * The tiers of SPEC "Limits", with the decisions that it leaves open.
 *
 * A government key stands alone: it is rotated each quarter (92 days is the longest one), is handed over on a secure
 * channel, and should open nothing else when it is lost. The other areas share their applicants, so one key may
 * cover several of them: research and ethics for an academic, all three under one partnership agreement. They end
 * after a year, so that nobody keeps a tier whose reason has gone.
 */
export const TIERS: Readonly<Record<Tier, TierRules>> = {
  government: {
    areas: ['government'],
    days: 92,
    delivery: 'print',
    proof: 'basis',
    basis: 'how the office was confirmed, e.g. "call back through the switchboard, 2026-03-02"',
  },
  economist: {
    areas: ['economy'],
    days: 365,
    delivery: 'mail',
    proof: 'basis',
    basis: 'how the affiliation was verified, e.g. "staff page of the institute, 2026-03-02"',
  },
  academic: {
    areas: ['academics', 'philosophy'],
    days: 365,
    delivery: 'mail',
    proof: 'verified_address',
    basis: 'free text; the verified address is the proof',
  },
  institutional: {
    areas: ['economy', 'academics', 'philosophy'],
    days: 365,
    delivery: 'mail',
    proof: 'basis',
    basis: 'the partnership agreement, e.g. "agreement 2026-017"',
  },
};

export const TIER_NAMES = Object.keys(TIERS) as [Tier, ...Tier[]];

export const DAY_MS = 86_400_000;

/** How long the replaced key goes on being good after a rotation: time to change it everywhere. */
export const OVERLAP_DAYS = 14;

/** How long a verified address counts for the academic tier: people leave universities. */
export const VERIFICATION_HOLDS_DAYS = 365;
