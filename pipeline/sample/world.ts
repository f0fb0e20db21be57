import { SENTINEL_IDS, SENTINEL_PROFILES, type SentinelId } from '../model/sentinel-profiles.ts';
import { HOUR_MS } from '../model/window.ts';
import { Random } from '../random.ts';
import { Agenda } from './agenda.ts';
import { emptyFacts, type Facts } from './facts.ts';

/** A stretch of six hours, in Unix ms. */
export interface Slot {
  start: number;
  /** Not in it. */
  end: number;
}

/** One subject of the sample: called at the beginning of each slot, it puts what it has in mind on the agenda. */
export type Process = (slot: Slot) => void;

/** How a sentinel is doing. The ledger does not know this; it shows in what is recorded. */
export interface Condition {
  /** It gives no sign of life in [silentFrom, silentUntil), Unix ms. */
  silentFrom: number;
  silentUntil: number;
  drift: number;
  gi: number;
}

export interface World {
  readonly seed: number;
  /** Unix ms. */
  readonly genesis: number;
  readonly agenda: Agenda;
  readonly conditions: Record<SentinelId, Condition>;
  /** What has been said in deliberations, with the time, Unix ms; the oldest first. */
  readonly spoken: Map<string, number>;
  /** The questions that have been asked, with the deliberation that was last about them. */
  readonly asked: Map<string, string>;
  facts: Facts;
}

export function createWorld(seed: number, genesis: number): World {
  const condition = (id: SentinelId) => ({
    silentFrom: 0,
    silentUntil: 0,
    drift: SENTINEL_PROFILES[id].drift,
    gi: SENTINEL_PROFILES[id].gi,
  });
  return {
    seed,
    genesis,
    agenda: new Agenda(),
    conditions: Object.fromEntries(SENTINEL_IDS.map((id) => [id, condition(id)])) as World['conditions'],
    spoken: new Map(),
    asked: new Map(),
    facts: emptyFacts(),
  };
}

/** The stream of a purpose in a slot. */
export function randomOf(world: World, purpose: string, slot: Slot): Random {
  return new Random(world.seed, purpose, slot.start);
}

export function isSilent(world: World, id: SentinelId, at: number): boolean {
  const { silentFrom, silentUntil } = world.conditions[id];
  return at >= silentFrom && at < silentUntil;
}

/** Whether the sentinel can act: registered, not silent, and operational (a heartbeat in the last twelve hours). */
export function isActing(world: World, id: SentinelId, at: number): boolean {
  const { registered, lastHeartbeat } = world.facts.sentinels[id];
  return registered && !isSilent(world, id, at) && at - lastHeartbeat <= 12 * HOUR_MS;
}
