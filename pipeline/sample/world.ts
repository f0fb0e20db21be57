import type { Cathedral } from '../ledger/events/event.ts';
import type { POSITIONS } from '../ledger/events/vocabulary.ts';
import { SENTINEL_IDS, SENTINEL_PROFILES, type SentinelId } from '../model/sentinel-profiles.ts';
import { HOUR_MS } from '../model/window.ts';
import { Random } from '../random.ts';
import { DAY_MS } from '../words/day.ts';
import { Agenda } from './agenda.ts';
import type { SampleTexts } from './texts.ts';

/** A slot of six hours, in Unix ms. */
export interface Slot {
  start: number;
  /** Exclusive. */
  end: number;
}

/** Called at the start of each slot, it adds the actions of the slot to the agenda. */
export type Plan = (slot: Slot) => void;

/** Everything that the next event depends on. */
export interface World {
  readonly seed: number;
  /** Unix ms. */
  readonly genesis: number;
  readonly texts: SampleTexts;
  readonly agenda: Agenda;
  readonly conditions: Record<SentinelId, Condition>;
  /** Arguments of past deliberations with their time in Unix ms, oldest first. */
  readonly spoken: Map<string, number>;
  /** Questions that have been asked, each with its latest deliberation. */
  readonly asked: Map<string, string>;
  facts: Facts;
}

/** How a sentinel is doing. The ledger records only the consequences. */
interface Condition {
  /** It sends no heartbeat in [silentFrom, silentUntil), Unix ms. */
  silentFrom: number;
  silentUntil: number;
  drift: number;
  gi: number;
}

/**
 * The part of the ledger's state that the next event depends on. Plans are separate: they follow from the seed alone,
 * while a feeder that resumes a ledger reads the facts from disk.
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
   * Whether the last reading reached the threshold. This cannot change before the next reading: minting only lowers the
   * threshold, and without minting the threshold stays.
   */
  minting: boolean;
  /** Ids of active alerts. */
  alerts: Set<string>;
  /** Open deliberations, with the current position of each sentinel in speaking order. */
  deliberations: Map<string, Map<string, Position>>;
  /** Companion attestations in force. */
  companions: Set<string>;
}

export interface SentinelFacts {
  registered: boolean;
  /** Unix ms; registration counts as a heartbeat. */
  lastHeartbeat: number;
  /** Unix ms of registration, or of the heartbeat that ended the last outage. */
  upSince: number;
}

export type Position = (typeof POSITIONS)[number];

export function createWorld(seed: number, genesis: number, texts: SampleTexts): World {
  const condition = (id: SentinelId): Condition => {
    const { drift, gi } = SENTINEL_PROFILES[id];
    return { silentFrom: 0, silentUntil: 0, drift, gi };
  };
  return {
    seed,
    genesis,
    texts,
    agenda: new Agenda(),
    conditions: Object.fromEntries(SENTINEL_IDS.map((id) => [id, condition(id)])) as World['conditions'],
    spoken: new Map(),
    asked: new Map(),
    facts: emptyFacts(),
  };
}

function emptyFacts(): Facts {
  const unregistered = () => ({ registered: false, lastHeartbeat: 0, upSince: 0 });
  return {
    sentinels: Object.fromEntries(SENTINEL_IDS.map((id) => [id, unregistered()])) as Facts['sentinels'],
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

/** The random stream of one purpose in one slot. */
export function randomOf(world: World, purpose: string, slot: Slot): Random {
  return new Random(world.seed, purpose, slot.start);
}

/** The start of the day that is this many days after that of `at`, Unix ms. */
export function daysAfter(at: number, days: number): number {
  return (Math.floor(at / DAY_MS) + days) * DAY_MS;
}

export function isSilent(world: World, id: SentinelId, at: number): boolean {
  const { silentFrom, silentUntil } = world.conditions[id];
  return at >= silentFrom && at < silentUntil;
}

/** Whether the sentinel can act: registered, not silent, and with a heartbeat in the last twelve hours. */
export function isActing(world: World, id: SentinelId, at: number): boolean {
  const { registered, lastHeartbeat } = world.facts.sentinels[id];
  return registered && !isSilent(world, id, at) && at - lastHeartbeat <= 12 * HOUR_MS;
}
