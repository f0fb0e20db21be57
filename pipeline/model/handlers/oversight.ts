import type { EventOf } from '../../ledger/events/event.ts';
import { REGIMES } from '../../ledger/events/vocabulary.ts';
import { applyCompanionEvent, type CompanionEvent } from '../companions.ts';
import { addFinding } from '../finding.ts';
import { ownMember } from '../own-member.ts';
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
  const scheduled = ownMember(state.scheduled_audits, jurisdiction);
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
    addFinding(state, event, `cleared alert ${event.data.alert} was not raised`);
  state.alerts = left;
}

export function companionEvent(state: State, event: CompanionEvent): void {
  for (const finding of applyCompanionEvent(state, event)) addFinding(state, event, finding);
}
