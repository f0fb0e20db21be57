import { JURISDICTIONS, type Jurisdiction, REGIMES } from '../../ledger/event.ts';
import { own } from '../own.ts';
import type { State } from '../state.ts';

/** Statuses of good standing; they rank alike. */
export const GOOD_STANDING: ReadonlySet<string> = new Set([
  'compliant',
  'compatible',
  'utility_token',
  'high_risk_compliant',
]);

/** What a regime is before its first audit; also the rank of every status that this version does not know. */
const UNDER_REVIEW = 'under_review';

/** 0 good standing, 1 under review or unknown, 2 non-compliant. */
function rank(status: string): number {
  if (GOOD_STANDING.has(status)) return 0;
  return status === 'non_compliant' ? 2 : 1;
}

/** The worst of the statuses: `compliant`, `under_review` or `non_compliant`. */
export function worstStatus(statuses: readonly string[]): string {
  const worst = Math.max(0, ...statuses.map(rank));
  return ['compliant', UNDER_REVIEW, 'non_compliant'][worst]!;
}

export interface JurisdictionStanding {
  jurisdiction: Jurisdiction;
  statuses: Record<string, string>;
  last_audit: string | null;
}

/** Each jurisdiction's statuses as of its last audit, in the order in which they are published. */
export function standings(state: State): JurisdictionStanding[] {
  return JURISDICTIONS.map((jurisdiction) => {
    const audit = own(state.audits, jurisdiction);
    const regimes = REGIMES[jurisdiction].map((regime) => [regime, audit?.statuses[regime] ?? UNDER_REVIEW]);
    return { jurisdiction, statuses: Object.fromEntries(regimes), last_audit: audit?.last_audit ?? null };
  });
}

export function complianceStatus(state: State): string {
  return worstStatus(standings(state).flatMap(({ statuses }) => Object.values(statuses)));
}

/** Scheduled audits that have not taken place, the earliest first. */
export function nextAudits(state: State): { jurisdiction: string; date: string }[] {
  return Object.entries(state.scheduled_audits)
    .map(([jurisdiction, date]) => ({ jurisdiction, date }))
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}
