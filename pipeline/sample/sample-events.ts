import type { LedgerEvent } from '../ledger/event.ts';
import { slotId } from '../ledger/slot.ts';
import { SENTINEL_IDS } from '../model/sentinel-profiles.ts';
import { beat } from './process/heartbeats.ts';
import { Simulation } from './simulation.ts';
import { parseSpan, type SampleOptions, type Span } from './span.ts';
import { NATURAL, scaledVolume } from './volume.ts';
import { isSilent } from './world.ts';

export interface SampleSlot {
  /** The boundary at the slot's end, `2025-12-01T06Z`: the id of its snapshot. */
  id: string;
  events: LedgerEvent[];
  /** Whether the slot is over. Only the last one may not be; its events belong into the head. */
  isOver: boolean;
}

/**
 * The events of a sample ledger, slot after slot, each made when it is asked for. Without `events` a longer `to` only
 * adds to the same beginning. With fewer events than ten sentinels need, the ledger ends before `to`.
 * Throws `usage`.
 */
export function* sampleEvents(options: SampleOptions): Generator<SampleSlot> {
  const span = parseSpan(options);
  const simulation = new Simulation(span.seed, span.from, (self) =>
    span.events === null ? NATURAL : scaledVolume(span, span.events, () => self.seq),
  );
  for (;;) {
    const events = runSlot(simulation, span);
    const { end } = simulation.slot;
    const isLast = end >= span.to || simulation.seq === span.events;
    if (isLast && span.events !== null) fillUp(simulation, events, span);
    yield { id: slotId(end), events, isOver: end <= span.to };
    if (isLast) return;
    simulation.openNextSlot();
  }
}

function runSlot(simulation: Simulation, { to, events: limit }: Span): LedgerEvent[] {
  const events: LedgerEvent[] = [];
  const most = limit ?? Number.POSITIVE_INFINITY;
  for (
    let at = simulation.nextAt;
    at !== undefined && at < to && simulation.seq < most;
    at = simulation.nextAt
  ) {
    simulation.step(events);
  }
  // One thing may be recorded by two events, of which the limit leaves one.
  while (simulation.seq > most) {
    events.pop();
    simulation.seq -= 1;
  }
  return events;
}

/** What is missing to the exact number are heartbeats in the last second. */
function fillUp(simulation: Simulation, events: LedgerEvent[], { to, events: wanted }: Span): void {
  const { world, slot } = simulation;
  const at = Math.min(slot.end, to) - 1000;
  const awake = SENTINEL_IDS.filter((id) => world.facts.sentinels[id].registered && !isSilent(world, id, at));
  const chosen = awake.length > 0 ? awake : SENTINEL_IDS;
  for (let turn = 0; simulation.seq < wanted!; turn += 1) {
    const heartbeat = beat(world, chosen[turn % chosen.length]!, at);
    if (!heartbeat) return;
    events.push(simulation.record(heartbeat, at));
  }
}
