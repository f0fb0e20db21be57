import { SLOT_MS } from '../ledger/events/slot.ts';
import { SENTINEL_IDS } from '../model/sentinel-profiles.ts';
import { HOUR_MS } from '../model/window.ts';
import type { Span } from './span.ts';
import type { Slot } from './world.ts';

const NATURAL_INTERVAL_MS = 2.5 * HOUR_MS;
/** Intervals vary by a fifth, so this keeps a heartbeat within the twelve hours that count as operational. */
const LONGEST_INTERVAL_MS = 9.5 * HOUR_MS;
/** Mean number of events in a slot at the natural volume. */
const NATURAL_PER_SLOT = 47;

/** How often sentinels attest and send heartbeats. */
export interface Volume {
  /** Rounds of attestations in the slot being planned. Call it once a slot. */
  rounds(): number;
  /**
   * Mean ms between two heartbeats of a sentinel, given the number of actions planned so far and the number of sentinels
   * that are not silent.
   */
  heartbeatInterval(slot: Slot, planned: number, active: number): number;
}

export const NATURAL: Volume = { rounds: () => 1, heartbeatInterval: () => NATURAL_INTERVAL_MS };

/**
 * Spreads `events` evenly over the span. Beyond the natural volume, half of the events are attestations with their mints
 * and half are heartbeats; each slot's heartbeats also correct the count. `produced` returns the events so far.
 */
export function scaledVolume({ from, to }: Span, events: number, produced: () => number): Volume {
  const slots = (to - from) / SLOT_MS;
  const extra = events / slots - NATURAL_PER_SLOT;
  const roundsPerSlot = Math.max(0, 1 + extra / 2 / (2 * SENTINEL_IDS.length));
  let owed = 0.5;
  return {
    rounds() {
      owed += roundsPerSlot;
      const rounds = Math.floor(owed);
      owed -= rounds;
      return rounds;
    },
    heartbeatInterval(slot, planned, active) {
      const due = (events * (Math.min(slot.end, to) - from)) / (to - from);
      const heartbeats = Math.max(1, due - produced() - planned);
      return Math.min(LONGEST_INTERVAL_MS, (SLOT_MS * Math.max(1, active)) / heartbeats);
    },
  };
}
