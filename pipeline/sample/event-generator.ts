import type { LedgerEvent } from '../ledger/events/event.ts';
import { cycleNumber, SLOT_MS } from '../ledger/events/slot.ts';
import { timestampOf } from '../model/window.ts';
import type { Random } from '../random.ts';
import type { Draft } from './agenda.ts';
import { deliberations } from './deliberation/topics.ts';
import { attestations } from './process/attestations.ts';
import { audits } from './process/audits.ts';
import { companions } from './process/companions.ts';
import { drift } from './process/drift.ts';
import { heartbeats } from './process/heartbeats.ts';
import { indexReadings } from './process/index-readings.ts';
import { multipliers } from './process/multipliers.ts';
import { outages } from './process/outages.ts';
import { projections } from './process/projections.ts';
import { registration, rotation } from './process/registration.ts';
import { software } from './process/software.ts';
import { treasury } from './process/treasury.ts';
import { sampleTexts } from './texts.ts';
import type { Volume } from './volume.ts';
import { createWorld, type Plan, randomOf, type Slot, type World } from './world.ts';

/** Begins one subject of the sample: it follows its course, or plans slot by slot. */
type Process = (world: World, volume: Volume) => Plan | undefined;

/** In planning order: heartbeats come last because they fill up what the others leave of the volume. */
const PROCESSES: readonly Process[] = [
  ...[registration, software, outages, rotation, drift, indexReadings, audits, projections, companions],
  ...[treasury, deliberations, multipliers, attestations, heartbeats],
];

/**
 * Generates the events of a demo ledger, slot by slot from genesis. Seed, genesis and volume determine the events; no
 * slot depends on a later one.
 */
export class EventGenerator {
  readonly world: World;
  /** Seq of the next event. */
  seq = 0;
  slot: Slot;
  readonly #plans: Plan[] = [];
  #salts: Random;

  /** `genesis` is the start of a day in Unix ms. The constructor opens the first slot. */
  constructor(seed: number, genesis: number, createVolume: (generator: EventGenerator) => Volume) {
    this.world = createWorld(seed, genesis, sampleTexts());
    this.slot = { start: genesis, end: genesis + SLOT_MS };
    this.#salts = randomOf(this.world, 'salts', this.slot);
    const volume = createVolume(this);
    for (const begin of PROCESSES) {
      const plan = begin(this.world, volume);
      if (!plan) continue;
      plan(this.slot);
      this.#plans.push(plan);
    }
  }

  openNextSlot(): void {
    const { world } = this;
    this.slot = { start: this.slot.end, end: this.slot.end + SLOT_MS };
    this.#salts = randomOf(world, 'salts', this.slot);
    world.agenda.begin(this.slot.start);
    for (const plan of this.#plans) plan(this.slot);
  }

  /** Unix ms of the next action in the open slot; undefined after the last one. */
  get nextAt(): number | undefined {
    const at = this.world.agenda.next;
    return at !== undefined && at < this.slot.end ? at : undefined;
  }

  /** Performs the next action and appends the events that record it. */
  step(events: LedgerEvent[]): void {
    if (this.nextAt === undefined) return;
    const { at, drafts } = this.world.agenda.step();
    for (const draft of drafts) events.push(this.record(draft, at));
  }

  /** Turns a draft into the next event; `at` is in the open slot. */
  record({ type, agent, data }: Draft, at: number, salt = this.#salts.salt()): LedgerEvent {
    const [timestamp, cycle] = [timestampOf(at), `C-${cycleNumber(at)}`];
    return { seq: this.seq++, timestamp, cycle, type, agent, data, salt };
  }
}
