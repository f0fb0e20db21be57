import { type EventOf, REGIMES } from '../../ledger/event.ts';
import { addFinding } from '../finding.ts';
import { own } from '../own.ts';
import type { State } from '../state.ts';
import { dayOf } from '../window.ts';

export function complianceAudited(state: State, event: EventOf<'compliance_audited'>): void {
  const { jurisdiction, statuses } = event.data;
  const audited = REGIMES[jurisdiction].map((regime) => [
    regime,
    (statuses as Record<string, string>)[regime]!,
  ]);
  const last_audit = dayOf(event.timestamp);
  state.audits[jurisdiction] = { statuses: Object.fromEntries(audited), last_audit };
  const scheduled = own(state.scheduled_audits, jurisdiction);
  if (scheduled !== undefined && scheduled <= last_audit) delete state.scheduled_audits[jurisdiction];
}

export function auditScheduled(state: State, event: EventOf<'audit_scheduled'>): void {
  state.scheduled_audits[event.data.jurisdiction] = event.data.date;
}

export function alertRaised(state: State, event: EventOf<'alert_raised'>): void {
  const { alert: id, severity, scope, message, sentinel } = event.data;
  const others = state.alerts.filter((known) => known.id !== id);
  const alert = { id, severity, scope, message, raised_at: event.timestamp };
  state.alerts = [...others, sentinel === undefined ? alert : { ...alert, sentinel }];
  state.year.alerts_raised += 1;
}

export function alertCleared(state: State, event: EventOf<'alert_cleared'>): void {
  const left = state.alerts.filter((known) => known.id !== event.data.alert);
  if (left.length === state.alerts.length)
    addFinding(state, event, `alert ${event.data.alert} was not raised`);
  state.alerts = left;
}

export function companionAttested(state: State, event: EventOf<'companion_attested'>): void {
  const { attestation, companion, ledger_id, scope, risk_level, expires_at } = event.data;
  const previous = own(state.companions, event.data.previous_attestation ?? '');
  if (previous?.status === 'active') {
    Object.assign(previous, {
      status: 'superseded',
      ended_at: event.timestamp,
      reason: `renewed by ${attestation}`,
    });
  }
  state.companions[attestation] = {
    companion,
    ledger_id,
    scope,
    risk_level,
    attested_at: event.timestamp,
    expires_at,
    drift_threshold: event.data.drift_threshold ?? null,
    drift: null,
    checked_at: null,
    status: 'active',
    ended_at: null,
    reason: null,
  };
}

/** A drift score at or above the threshold revokes the grant: nobody has to act on it. */
export function companionDrift(state: State, event: EventOf<'companion_drift'>): void {
  const { attestation, score } = event.data;
  const grant = own(state.companions, attestation);
  if (!grant) {
    addFinding(state, event, `a drift score of attestation ${attestation}, which is not known`);
    return;
  }
  grant.drift = score;
  grant.checked_at = event.timestamp;
  if (grant.status === 'active' && grant.drift_threshold !== null && score >= grant.drift_threshold) {
    const reason = `drift ${score} reached the threshold ${grant.drift_threshold}`;
    Object.assign(grant, { status: 'revoked', ended_at: event.timestamp, reason });
  }
}

/** Revocation is final: a later one changes nothing. */
export function companionRevoked(state: State, event: EventOf<'companion_revoked'>): void {
  const { attestation, reason } = event.data;
  const grant = own(state.companions, attestation);
  if (!grant) addFinding(state, event, `attestation ${attestation} is revoked but not known`);
  else if (grant.status !== 'revoked') {
    Object.assign(grant, { status: 'revoked', ended_at: event.timestamp, reason });
  }
}
