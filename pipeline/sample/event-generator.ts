import type { LedgerEvent } from '../ledger/events/event.ts';
import { cycleNumber, SLOT_MS } from '../ledger/events/slot.ts';
import { timestampOf } from '../model/window.ts';
import { Random } from '../random.ts';
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

  /** `genesis` is the start of a day in Unix ms. The constructor opens the first slot. */
  constructor(seed: number, genesis: number, createVolume: (generator: EventGenerator) => Volume) {
    this.world = createWorld(seed, genesis, sampleTexts());
    this.#processes = processesOf(this.world, createVolume(this));
    this.slot = { start: genesis - SLOT_MS, end: genesis };
    this.#salts = new Random(seed);
    this.openNextSlot();
  }

  openNextSlot(): void {
    const { world } = this;
    this.slot = { start: this.slot.end, end: this.slot.end + SLOT_MS };
    this.#salts = randomOf(world, 'salts', this.slot);
    world.agenda.begin(this.slot.start);
    for (const plan of this.#processes) plan(this.slot);
  }

  /** Unix ms of the next action in the open slot; undefined after the last one. */
  get nextAt(): number | undefined {
    const at = this.world.agenda.next?.at;
    return at !== undefined && at < this.slot.end ? at : undefined;
  }

  /** Performs the next action and appends the events that record it. */
  step(events: LedgerEvent[]): void {
    if (this.nextAt === undefined) return;
    const { at, act } = this.world.agenda.take()!;
    for (const draft of [act(at) ?? []].flat()) events.push(this.record(draft, at));
  }

  /** Turns a draft into the next event; `at` is in the open slot. */
  record({ type, agent, data }: Draft, at: number, salt = this.#salts.salt()): LedgerEvent {
    const [timestamp, cycle] = [timestampOf(at), `C-${cycleNumber(at)}`];
    return { seq: this.seq++, timestamp, cycle, type, agent, data, salt };
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
