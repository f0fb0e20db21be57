import { type EventOf, isKnownType, type KnownType, type LedgerEvent } from '../ledger/events/event.ts';
import type { Leaf } from '../ledger/log/leaf.ts';
import { DAY_MS } from '../words/day.ts';
import { forgetCompanions } from './companions.ts';
import * as governance from './handlers/governance.ts';
import * as oversight from './handlers/oversight.ts';
import * as sentinels from './handlers/sentinels.ts';
import * as supply from './handlers/supply.ts';
import { ownMember } from './own-member.ts';
import { startDay, startYear } from './period.ts';
import { metrics } from './queries/metrics.ts';
import type { State } from './state.ts';
import { DELIBERATION_DAYS, HOUR_MS, newestWithin, timeOf, WINDOW_DAYS, within } from './window.ts';

type Handlers = { [T in KnownType]: (state: State, event: EventOf<T>) => void };

const HANDLERS: Handlers = {
  genesis: supply.genesis,
  cycle_opened: () => {},
  sentinel_registered: sentinels.sentinelRegistered,
  sentinel_retired: sentinels.sentinelRetired,
  heartbeat: sentinels.heartbeat,
  attestation: sentinels.attestation,
  mic_mint: supply.micMint,
  mic_burn: supply.micBurn,
  mic_lock: supply.micLock,
  mic_unlock: supply.micUnlock,
  multiplier_set: supply.multiplierSet,
  mii_reading: sentinels.miiReading,
  deliberation_opened: governance.deliberationOpened,
  position_taken: governance.positionTaken,
  deliberation_closed: governance.deliberationClosed,
  decision_recorded: governance.decisionRecorded,
  compliance_audited: oversight.complianceAudited,
  audit_scheduled: oversight.auditScheduled,
  policy_projected: governance.policyProjected,
  alert_raised: oversight.alertRaised,
  alert_cleared: oversight.alertCleared,
  app_registered: sentinels.appRegistered,
  package_registered: sentinels.packageRegistered,
  companion_attested: oversight.companionEvent,
  companion_drift: oversight.companionEvent,
  companion_revoked: oversight.companionEvent,
};

/**
 * The state after one more event. Deterministic: no clock, randomness or I/O, so the same events always give the same state. Takes
 * ownership of `state`, which callers must not use again; otherwise a million events would need a million copies.
 */
export function apply(state: State, { event }: Leaf): State {
  closeBaseline(state, event);
  if (state.events === 0) state.since = event.timestamp;
  if (event.cycle !== state.cycle) {
    state.cycle = event.cycle;
    state.mii_baseline = state.mii;
  }
  startYear(state, event.timestamp);
  startDay(state, event.timestamp);
  const hourBefore = state.asOf.slice(0, 13);
  state.asOf = event.timestamp;
  if (event.timestamp.slice(0, 13) !== hourBefore) forget(state);
  state.events += 1;
  state.year.events += 1;
  count(state, event);
  return state;
}

function count(state: State, event: LedgerEvent): void {
  const { type } = event;
  const bucket = isKnownType(type) ? type : 'other';
  state.events_by_type[bucket] = (ownMember(state.events_by_type, bucket) ?? 0) + 1;
  state.day.events[bucket] = (ownMember(state.day.events, bucket) ?? 0) + 1;
  if (isKnownType(type)) (HANDLERS[type] as (state: State, event: LedgerEvent) => void)(state, event);
}

/** The first event after the first thirty days fixes the baseline of drift. */
function closeBaseline(state: State, event: LedgerEvent): void {
  if (state.baseline !== null || state.events === 0) return;
  if (timeOf(event.timestamp) - timeOf(state.since) >= WINDOW_DAYS * DAY_MS) state.baseline = metrics(state);
}

/** Drops what has left its window, once per hour of ledger time, to bound the size of the state. */
function forget(state: State): void {
  const { asOf } = state;
  const oldestHour = timeOf(asOf) / HOUR_MS - WINDOW_DAYS * 24;
  state.hours = state.hours.filter((sums) => sums.hour >= oldestHour);
  state.readings = newestWithin(state.readings, asOf, (reading) => reading.timestamp);
  state.decisions = newestWithin(state.decisions, asOf, (decision) => decision.timestamp);
  state.contrary = newestWithin(state.contrary, asOf, (position) => position.timestamp);
  state.risks = newestWithin(state.risks, asOf, (risk) => risk.timestamp);
  state.findings.recent = newestWithin(state.findings.recent, asOf, (finding) => finding.raised_at);
  const open = (closed: string | null) => closed ?? asOf;
  state.deliberations = within(state.deliberations, asOf, (one) => open(one.closed_at), DELIBERATION_DAYS);
  forgetCompanions(state, asOf);
}
