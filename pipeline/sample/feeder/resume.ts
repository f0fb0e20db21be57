import type { Cathedral, LedgerEvent } from '../../ledger/events/event.ts';
import { slotTime } from '../../ledger/events/slot.ts';
import type { LedgerPosition } from '../../ledger/log/leaf.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { readLedger } from '../../ledger/reading/read-ledger.ts';
import { emptyState } from '../../model/empty-state.ts';
import { apply } from '../../model/fold.ts';
import { ownMember } from '../../model/own-member.ts';
import { minting } from '../../model/queries/supply.ts';
import { SENTINEL_IDS, type SentinelId } from '../../model/sentinel-profiles.ts';
import type { State } from '../../model/state.ts';
import { timeOf } from '../../model/window.ts';
import { DAY_MS } from '../../words/day.ts';
import { EventGenerator } from '../event-generator.ts';
import { GENESIS_DATE } from '../span.ts';
import { NATURAL } from '../volume.ts';
import type { Facts, SentinelFacts } from '../world.ts';

export interface LedgerOnDisk {
  /** The end of the last snapshot. */
  sealed: LedgerPosition;
  /** The state after the head. */
  state: State;
  /** Salts of the events in the last second, which identify them. */
  lastSalts: Set<string>;
}

export interface Resumed {
  generator: EventGenerator;
  /** Events of the ledger's last second that a killed writer did not write. */
  missing: LedgerEvent[];
}

/** Reads and verifies a whole ledger. Throws the errors of reading a snapshot or a head. */
export async function readDemoLedger(ledger: string, verifiers: readonly Verifier[]): Promise<LedgerOnDisk> {
  let state = emptyState();
  const lastSalts = new Set<string>();
  const batches = readLedger({ ledger, verifiers });
  for (;;) {
    const batch = await batches.next();
    if (batch.done) return { sealed: batch.value, state, lastSalts };
    for (const leaf of batch.value.leaves) {
      if (leaf.event.timestamp !== state.asOf) lastSalts.clear();
      lastSalts.add(leaf.event.salt);
      state = apply(state, leaf);
    }
  }
}

/**
 * A generator at the end of a ledger on disk. Its plans come from running the sample again from genesis; its facts come
 * from the ledger, which can contain more events than the sample, or events of another seed.
 */
export function resumeGenerator(seed: number, ledger: LedgerOnDisk): Resumed {
  const { sealed, lastSalts } = ledger;
  if (ledger.state.events === 0) {
    return { generator: new EventGenerator(seed, Date.parse(GENESIS_DATE), () => NATURAL), missing: [] };
  }
  const { since, asOf, events } = ledger.state;
  const generator = new EventGenerator(seed, Math.floor(timeOf(since) / DAY_MS) * DAY_MS, () => NATURAL);
  const boundary = sealed.snapshot === null ? 0 : slotTime(sealed.snapshot);
  const generated = runUntil(generator, Math.max(timeOf(asOf) + 1, boundary));
  generator.seq = events;
  const missing = timeOf(asOf) < boundary ? [] : missingOf(generated, asOf, lastSalts);
  const renumbered = missing.map((event) => ({ ...event, seq: generator.seq++ }));
  let { state } = ledger;
  for (const event of renumbered) state = apply(state, { event, hash: '' });
  generator.world.facts = factsOf(state);
  return { generator, missing: renumbered };
}

/**
 * The sample's events of the last second that the ledger lacks. If the ledger has none of them, its last event is one of
 * the feeder's own, which came after all of them.
 */
function missingOf(generated: readonly LedgerEvent[], asOf: string, lastSalts: Set<string>): LedgerEvent[] {
  const last = generated.filter(({ timestamp }) => timestamp === asOf);
  return last.some(({ salt }) => lastSalts.has(salt)) ? last.filter(({ salt }) => !lastSalts.has(salt)) : [];
}

/** Performs the actions before `until`. Returns the events of the slot that contains it. */
function runUntil(generator: EventGenerator, until: number): LedgerEvent[] {
  let events: LedgerEvent[] = [];
  for (;;) {
    while ((generator.nextAt ?? Number.POSITIVE_INFINITY) < until) generator.step(events);
    if (generator.slot.end > until) return events;
    events = [];
    generator.openNextSlot();
  }
}

function factsOf(state: State): Facts {
  const { supply, contracts, multipliers, alerts, deliberations, companions } = state;
  const open = deliberations.filter(({ closed_at }) => closed_at === null);
  const active = Object.entries(companions).filter(([, { status }]) => status === 'active');
  return {
    sentinels: Object.fromEntries(
      SENTINEL_IDS.map((id) => [id, sentinelOf(state, id)]),
    ) as Facts['sentinels'],
    ...supply,
    contracts: new Map(Object.entries(contracts)),
    multipliers: new Map(Object.entries(multipliers) as [Cathedral, number][]),
    minting: minting(state).minting_active ?? false,
    alerts: new Set(alerts.map(({ id }) => id)),
    deliberations: new Map(
      open.map(({ id, positions }) => [id, new Map(positions.map((one) => [one.id, one.position]))]),
    ),
    companions: new Set(active.map(([id]) => id)),
  };
}

function sentinelOf(state: State, id: SentinelId): SentinelFacts {
  const known = ownMember(state.sentinels, id);
  if (!known) return { registered: false, lastHeartbeat: 0, upSince: 0 };
  const { registered_at, retired_at, last_heartbeat, up_since } = known;
  return {
    registered: retired_at === null,
    lastHeartbeat: timeOf(last_heartbeat ?? registered_at),
    upSince: timeOf(up_since),
  };
}
