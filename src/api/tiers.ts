import type { Area } from '../../pipeline/artifacts/artifact.ts';

/** The areas that issue keys, in the order in which a key names them. Diplomacy is public and has none. */
export const KEY_AREAS = [
  'government',
  'economy',
  'academics',
  'philosophy',
] as const satisfies readonly Area[];
export type KeyArea = (typeof KEY_AREAS)[number];

/** Those of some areas that issue keys. */
export function keyAreasOf(areas: readonly Area[]): KeyArea[] {
  return areas.filter((area): area is KeyArea => (KEY_AREAS as readonly Area[]).includes(area));
}

export type Tier = 'government' | 'economist' | 'academic' | 'institutional';

export interface TierRules {
  /** The areas that a key of this tier may cover. */
  areas: readonly KeyArea[];
  /** The default and the maximum lifetime. */
  days: number;
  /** How a key is delivered by default. */
  delivery: 'mail' | 'print';
  /** What a key of this tier requires; `null`: only affiliation and purpose. */
  proof: 'basis' | 'verified_address' | null;
  /** Tells the operator what to give as the basis. */
  basis: string;
}

/**
 * The tiers of the specification, with the decisions that it leaves open.
 *
 * A government key covers only its area: it is rotated each quarter (the longest has 92 days), is delivered over a secure
 * channel, and should open nothing else if it is lost. The other areas share their applicants, so one key may cover several
 * of them: research and ethics for an academic, all three under one partnership agreement. These keys end after a year, so
 * that nobody keeps a tier without a reason.
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

/** How long the previous key stays valid after a rotation, so that it can be replaced everywhere. */
export const OVERLAP_DAYS = 14;

/** How long a verified address counts for the academic tier, since people leave universities. */
export const VERIFICATION_VALID_DAYS = 365;
