import { JURISDICTIONS, type Jurisdiction, REGIMES } from '../../ledger/events/vocabulary.ts';
import { ownMember } from '../own-member.ts';
import type { State } from '../state.ts';

/** Statuses in good standing. They rank equally. */
export const GOOD_STANDING: ReadonlySet<string> = new Set([
  'compliant',
  'compatible',
  'utility_token',
  'high_risk_compliant',
]);

/** The status of a regime before its first audit: neither in good standing nor under review. */
const NOT_AUDITED = 'not_audited';
/** Best first. */
const RANKS = ['compliant', NOT_AUDITED, 'under_review', 'non_compliant'] as const;

/** Index into RANKS. Unknown statuses count as under review. */
function rank(status: string): number {
  if (GOOD_STANDING.has(status)) return 0;
  const index = (RANKS as readonly string[]).indexOf(status);
  return index === -1 ? RANKS.indexOf('under_review') : index;
}

/** The worst of the statuses, one of RANKS; `not_audited` if there are none. */
export function worstStatus(statuses: readonly string[]): string {
  return statuses.length === 0 ? NOT_AUDITED : RANKS[Math.max(...statuses.map(rank))]!;
}

export interface JurisdictionStanding {
  jurisdiction: Jurisdiction;
  statuses: Record<string, string>;
  last_audit: string | null;
}

/** Each jurisdiction's statuses at its last audit, in order of publication. */
export function standings(state: State): JurisdictionStanding[] {
  return JURISDICTIONS.map((jurisdiction) => {
    const audit = ownMember(state.audits, jurisdiction);
    const regimes = REGIMES[jurisdiction].map((regime) => [regime, audit?.statuses[regime] ?? NOT_AUDITED]);
    return { jurisdiction, statuses: Object.fromEntries(regimes), last_audit: audit?.last_audit ?? null };
  });
}

export function complianceStatus(state: State): string {
  return worstStatus(standings(state).flatMap(({ statuses }) => Object.values(statuses)));
}

/** Pending audits, earliest first. */
export function nextAudits(state: State): { jurisdiction: string; date: string }[] {
  return Object.entries(state.scheduled_audits)
    .map(([jurisdiction, date]) => ({ jurisdiction, date }))
    .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}
