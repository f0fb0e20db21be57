import type { LedgerEvent } from '../ledger/events/event.ts';
import { cycleNumber, SLOT_MS } from '../ledger/events/slot.ts';
import { dayOf, HOUR_MS, timestampOf } from '../model/window.ts';
import { Random } from '../random.ts';
import { DAY_MS } from '../words/day.ts';
import type { Draft } from './agenda.ts';
import { deliberations } from './deliberation/topics.ts';
import { attestations } from './process/attestations.ts';
import { audits } from './process/audits.ts';
import { companions } from './process/companions.ts';
import { drift } from './process/drift.ts';
import { heartbeats, outages } from './process/heartbeats.ts';
import { indexReadings } from './process/index-readings.ts';
import { multipliers } from './process/multipliers.ts';
import { projections } from './process/projections.ts';
import { registration, rotation } from './process/registration.ts';
import { software } from './process/software.ts';
import { treasury } from './process/treasury.ts';
import { sampleTexts } from './texts.ts';
import type { Volume } from './volume.ts';
import { createWorld, type Process, randomOf, type Slot, type World } from './world.ts';

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/**
 * Generates the events of a demo ledger, slot by slot from genesis. Seed, genesis and volume determine the events; no
 * slot depends on a later one.
 */
export class EventGenerator {
  readonly world: World;
  /** Seq of the next event. */
  seq = 0;
  slot: Slot;
  readonly #processes: readonly Process[];
  #salts: Random;
  #labels: DayLabels;

  /** `genesis` is the start of a day in Unix ms. The constructor opens the first slot. */
  constructor(seed: number, genesis: number, createVolume: (generator: EventGenerator) => Volume) {
    this.world = createWorld(seed, genesis, sampleTexts());
    this.#processes = processesOf(this.world, createVolume(this));
    this.slot = { start: genesis - SLOT_MS, end: genesis };
    this.#salts = new Random(seed);
    this.#labels = new DayLabels(genesis);
    this.openNextSlot();
  }

  openNextSlot(): void {
    const { world } = this;
    this.slot = { start: this.slot.end, end: this.slot.end + SLOT_MS };
    this.#salts = randomOf(world, 'salts', this.slot);
    this.#labels = new DayLabels(this.slot.start);
    world.agenda.open(this.slot.start);
    for (const plan of this.#processes) plan(this.slot);
    world.agenda.begin();
  }

  /** Unix ms of the next action in the open slot; undefined after the last one. */
  get nextAt(): number | undefined {
    return this.world.agenda.nextAt;
  }

  /** Performs the next action and appends the events that record it. */
  step(events: LedgerEvent[]): void {
    const action = this.world.agenda.take();
    if (!action) return;
    const drafts = action.act(action.at);
    if (drafts === null) return;
    if (!Array.isArray(drafts)) events.push(this.record(drafts as Draft, action.at));
    else for (const draft of drafts) events.push(this.record(draft, action.at));
  }

  /** Turns a draft into the next event; `at` is in the open slot. */
  record({ type, agent, data }: Draft, at: number, salt = this.#salts.salt()): LedgerEvent {
    const { cycle } = this.#labels;
    return { seq: this.seq++, timestamp: this.#labels.timestamp(at), cycle, type, agent, data, salt };
  }
}

/** In planning order: heartbeats come last because they fill up what the others leave of the volume. */
function processesOf(world: World, volume: Volume): Process[] {
  return [
    registration(world),
    software(world),
    outages(world),
    rotation(world),
    drift(world),
    indexReadings(world),
    audits(world),
    projections(world),
    companions(world),
    treasury(world),
    deliberations(world),
    multipliers(world),
    attestations(world, volume),
    heartbeats(world, volume),
  ];
}

/** Formats the timestamps of one day. It caches the date, because millions of events share it. */
class DayLabels {
  readonly #date: string;
  readonly cycle: string;

  constructor(ms: number) {
    this.#date = dayOf(timestampOf(ms));
    this.cycle = `C-${cycleNumber(ms)}`;
  }

  /** `2025-12-01T06:00:00Z`; `ms` must be in this day. */
  timestamp(ms: number): string {
    const seconds = Math.floor(ms / 1000) % (DAY_MS / 1000);
    const hours = Math.floor((seconds * 1000) / HOUR_MS);
    const minutes = Math.floor(seconds / 60) % 60;
    return `${this.#date}T${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes]}:${TWO_DIGITS[seconds % 60]}Z`;
  }
}
