import type { LedgerEvent } from '../../ledger/event.ts';
import { slotTime } from '../../ledger/slot.ts';
import { apply } from '../../model/fold.ts';
import { DAY_MS, timeOf } from '../../model/window.ts';
import { Simulation } from '../simulation.ts';
import { GENESIS_DATE } from '../span.ts';
import { NATURAL } from '../volume.ts';
import { factsOf } from './facts-of.ts';
import type { LedgerOnDisk } from './read-ledger.ts';

export interface Resumed {
  simulation: Simulation;
  /** Events of the ledger's last second that a killed writer did not get to. */
  missing: LedgerEvent[];
}

/**
 * The world at the end of a ledger on disk: what is planned comes from running the sample anew from its genesis, what
 * has happened comes from the ledger, also where that was made otherwise, with more events or extra ones.
 */
export function resumeSimulation(seed: number, ledger: LedgerOnDisk): Resumed {
  const { sealed, lastSalts } = ledger;
  if (ledger.state.events === 0) {
    return { simulation: new Simulation(seed, Date.parse(GENESIS_DATE), () => NATURAL), missing: [] };
  }
  const { since, asOf, events } = ledger.state;
  const simulation = new Simulation(seed, Math.floor(timeOf(since) / DAY_MS) * DAY_MS, () => NATURAL);
  const boundary = sealed.snapshot === null ? 0 : slotTime(sealed.snapshot);
  const again = rerun(simulation, Math.max(timeOf(asOf) + 1, boundary));
  simulation.seq = events;
  const missing = timeOf(asOf) < boundary ? [] : missingOf(again, asOf, lastSalts);
  const renumbered = missing.map((event) => ({ ...event, seq: simulation.seq++ }));
  let { state } = ledger;
  for (const event of renumbered) state = apply(state, { event, hash: '' });
  simulation.world.facts = factsOf(state);
  return { simulation, missing: renumbered };
}

/** Of the last second. Where none of it is on disk, the last event was not the sample's, and came after all of it. */
function missingOf(again: readonly LedgerEvent[], asOf: string, lastSalts: Set<string>): LedgerEvent[] {
  const last = again.filter(({ timestamp }) => timestamp === asOf);
  return last.some(({ salt }) => lastSalts.has(salt)) ? last.filter(({ salt }) => !lastSalts.has(salt)) : [];
}

/** Runs what comes before `until`, and returns what happened in the slot in which that lies. */
function rerun(simulation: Simulation, until: number): LedgerEvent[] {
  let events: LedgerEvent[] = [];
  for (;;) {
    while ((simulation.nextAt ?? Number.POSITIVE_INFINITY) < until) simulation.step(events);
    if (simulation.slot.end > until) return events;
    events = [];
    simulation.openNextSlot();
  }
}
