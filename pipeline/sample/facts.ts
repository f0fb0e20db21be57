import type { Cathedral, POSITIONS } from '../ledger/event.ts';
import { SENTINEL_IDS, type SentinelId } from '../model/sentinel-profiles.ts';

export type Position = (typeof POSITIONS)[number];

export interface SentinelFacts {
  registered: boolean;
  /** Unix ms; registration counts. */
  lastHeartbeat: number;
  /** Unix ms of registration or of the heartbeat that ended the last outage. */
  upSince: number;
}

/**
 * What the ledger says so far, as far as the next event depends on it. It is kept apart from the plans, which come from
 * the seed alone: a feeder that goes on from a ledger on disk takes the facts from there.
 */
export interface Facts {
  sentinels: Record<SentinelId, SentinelFacts>;
  /** 1e-6 MIC. */
  total: bigint;
  locked: bigint;
  burned: bigint;
  contracts: Map<string, bigint>;
  multipliers: Map<Cathedral, number>;
  /**
   * Whether the last reading reached the threshold of the supply. Until the next reading this cannot change: minting
   * only lowers the threshold, and without minting it stays.
   */
  minting: boolean;
  /** Ids of the alerts that are raised and not cleared. */
  alerts: Set<string>;
  /** Open deliberations, with each sentinel's standing position in the order in which they spoke. */
  deliberations: Map<string, Map<string, Position>>;
  /** Companion attestations in force. */
  companions: Set<string>;
}

export function emptyFacts(): Facts {
  const unknown = () => ({ registered: false, lastHeartbeat: 0, upSince: 0 });
  return {
    sentinels: Object.fromEntries(SENTINEL_IDS.map((id) => [id, unknown()])) as Facts['sentinels'],
    total: 0n,
    locked: 0n,
    burned: 0n,
    contracts: new Map(),
    multipliers: new Map(),
    minting: false,
    alerts: new Set(),
    deliberations: new Map(),
    companions: new Set(),
  };
}

/** 1e-6 MIC. */
export function circulating({ total, locked, burned }: Facts): bigint {
  return total - locked - burned;
}
