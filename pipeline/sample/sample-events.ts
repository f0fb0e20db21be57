import type { LedgerEvent } from '../ledger/events/event.ts';
import { slotId } from '../ledger/events/slot.ts';
import { SENTINEL_IDS } from '../model/sentinel-profiles.ts';
import { EventGenerator } from './event-generator.ts';
import { beat } from './process/heartbeats.ts';
import { parseSpan, type SampleOptions, type Span } from './span.ts';
import { NATURAL, scaledVolume } from './volume.ts';
import { isSilent } from './world.ts';

export interface SampleSlot {
  /** The end of the slot, which names its snapshot: `2025-12-01T06Z`. */
  id: string;
  events: LedgerEvent[];
  /** Whether the slot has ended. Only the last slot can be open; its events belong in the head. */
  isOver: boolean;
}

/**
 * Generates the events of a demo ledger lazily, slot by slot. Without `events`, a later `to` only appends. The ledger
 * ends before `to` if `events` is fewer than ten sentinels produce in that time. Throws `usage`.
 */
export function* sampleEvents(options: SampleOptions): Generator<SampleSlot> {
  const span = parseSpan(options);
  const generator = new EventGenerator(span.seed, span.from, (self) =>
    span.events === null ? NATURAL : scaledVolume(span, span.events, () => self.seq),
  );
  for (;;) {
    const events = runSlot(generator, span);
    const { end } = generator.slot;
    const isLast = end >= span.to || generator.seq === span.events;
    if (isLast && span.events !== null) fillUp(generator, events, span);
    yield { id: slotId(end), events, isOver: end <= span.to };
    if (isLast) return;
    generator.openNextSlot();
  }
}

function runSlot(generator: EventGenerator, { to, events: limit }: Span): LedgerEvent[] {
  const events: LedgerEvent[] = [];
  const most = limit ?? Number.POSITIVE_INFINITY;
  for (
    let at = generator.nextAt;
    at !== undefined && at < to && generator.seq < most;
    at = generator.nextAt
  ) {
    generator.step(events);
  }
  // The last step may have recorded several events.
  while (generator.seq > most) {
    events.pop();
    generator.seq -= 1;
  }
  return events;
}

/** Adds heartbeats in the last second until the number of events is exact. */
function fillUp(generator: EventGenerator, events: LedgerEvent[], { to, events: wanted }: Span): void {
  const { world, slot } = generator;
  const at = Math.min(slot.end, to) - 1000;
  const awake = SENTINEL_IDS.filter((id) => world.facts.sentinels[id].registered && !isSilent(world, id, at));
  const chosen = awake.length > 0 ? awake : SENTINEL_IDS;
  for (let turn = 0; generator.seq < wanted!; turn += 1) {
    const heartbeat = beat(world, chosen[turn % chosen.length]!, at);
    if (!heartbeat) return;
    events.push(generator.record(heartbeat, at));
  }
}
