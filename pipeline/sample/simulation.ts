import type { LedgerEvent } from '../ledger/event.ts';
import { SLOT_MS } from '../ledger/slot.ts';
import { Random } from '../random.ts';
import type { Draft } from './agenda.ts';
import { DayLabels } from './calendar.ts';
import { attestations } from './process/attestations.ts';
import { audits } from './process/audits.ts';
import { companions } from './process/companions.ts';
import { deliberations } from './process/deliberations.ts';
import { drifting } from './process/drifting.ts';
import { heartbeats } from './process/heartbeats.ts';
import { indexReadings } from './process/index-readings.ts';
import { multipliers } from './process/multipliers.ts';
import { opening } from './process/opening.ts';
import { outages } from './process/outages.ts';
import { projections } from './process/projections.ts';
import { rotation } from './process/rotation.ts';
import { software } from './process/software.ts';
import { treasury } from './process/treasury.ts';
import type { Volume } from './volume.ts';
import { createWorld, type Process, randomOf, type Slot, type World } from './world.ts';

/**
 * The world of a sample ledger, run slot by slot from genesis, event by event. The same seed, genesis and volume give
 * the same events; nothing in a slot depends on what comes after it.
 */
export class Simulation {
  readonly world: World;
  /** Seq of the next event. */
  seq = 0;
  slot: Slot;
  readonly #processes: readonly Process[];
  #salts: Random;
  #labels: DayLabels;

  /** `genesis` in Unix ms, the beginning of a day. The first slot is open when it returns. */
  constructor(seed: number, genesis: number, createVolume: (simulation: Simulation) => Volume) {
    this.world = createWorld(seed, genesis);
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

  /** Time in Unix ms of what happens next in the open slot; undefined at its end. */
  get nextAt(): number | undefined {
    return this.world.agenda.nextAt;
  }

  /** Lets the next thing happen, and adds the events that record it, if any. */
  step(events: LedgerEvent[]): void {
    const action = this.world.agenda.take();
    if (!action) return;
    const drafts = action.act(action.at);
    if (drafts === null) return;
    if (!Array.isArray(drafts)) events.push(this.record(drafts as Draft, action.at));
    else for (const draft of drafts) events.push(this.record(draft, action.at));
  }

  /** The event of a draft, at a time in the open slot. */
  record({ type, agent, data }: Draft, at: number, salt = this.#salts.salt()): LedgerEvent {
    const { cycle } = this.#labels;
    return { seq: this.seq++, timestamp: this.#labels.timestamp(at), cycle, type, agent, data, salt };
  }
}

/** In the order in which they plan a slot: what others look at first, what fills the rest last. */
function processesOf(world: World, volume: Volume): Process[] {
  return [
    opening(world),
    software(world),
    outages(world),
    rotation(world),
    drifting(world),
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
