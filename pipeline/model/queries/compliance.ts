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

/** What a regime is before its first audit: nobody has reviewed it, so it is neither in good standing nor under review. */
const NOT_AUDITED = 'not_audited';
/** From the best to the worst. */
const RANKS = ['compliant', NOT_AUDITED, 'under_review', 'non_compliant'] as const;

/** Index into RANKS; a status that this version does not know counts as under review. */
function rank(status: string): number {
  if (GOOD_STANDING.has(status)) return 0;
  const index = (RANKS as readonly string[]).indexOf(status);
  return index === -1 ? RANKS.indexOf('under_review') : index;
}

/** The worst of the statuses, one of RANKS; of none: not_audited. */
export function worstStatus(statuses: readonly string[]): string {
  return statuses.length === 0 ? NOT_AUDITED : RANKS[Math.max(...statuses.map(rank))]!;
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
    const regimes = REGIMES[jurisdiction].map((regime) => [regime, audit?.statuses[regime] ?? NOT_AUDITED]);
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
