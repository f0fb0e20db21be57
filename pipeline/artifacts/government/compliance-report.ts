import * as z from 'zod/mini';
import { type Jurisdiction, REGIMES } from '../../ledger/events/vocabulary.ts';
import { complianceStatus, nextAudits, standings } from '../../model/queries/compliance.ts';
import { described } from '../../words/described.ts';
import { asOf, calendarDate } from '../fields.ts';
import { jsonDocument } from '../json-document.ts';

const jurisdiction = (name: Jurisdiction) =>
  z.strictObject({
    ...Object.fromEntries(REGIMES[name].map((regime) => [regime, regimeStatus(regime)])),
    last_audit: z.nullable(calendarDate('Day of the last audit; null before the first')),
  });

function regimeStatus(regime: string) {
  return described(
    z.string(),
    `Status under ${regime.replaceAll('_', ' ')} as of the last audit; not_audited before the first`,
    {
      range:
        'compliant, compatible, utility_token, high_risk_compliant, not_audited, under_review, non_compliant; others may come',
    },
  );
}

export const complianceReport = jsonDocument({
  path: 'government/compliance-report.json',
  title: 'Compliance report',
  description: 'Status under each audited regime in four jurisdictions, with the last and the next audit.',
  limits: [
    'The ledger states what an audit found. The service repeats it and audits nothing itself.',
    'A status is as of its last audit, which may be months old: look at last_audit.',
  ],
  followsFrom: ['compliance_audited', 'audit_scheduled'],
  restricted: true,
  example: {
    timestamp: '2025-12-01T05:58:12Z',
    compliance_status: 'compliant',
    jurisdictions: {
      USA: {
        SEC: 'utility_token',
        CFTC: 'compliant',
        Federal_Reserve_Act: 'compatible',
        last_audit: '2025-11-15',
      },
      EU: { GDPR: 'compliant', AI_Act: 'high_risk_compliant', MiCA: 'compliant', last_audit: '2025-11-10' },
      UK: { FCA: 'compliant', Data_Protection_Act: 'compliant', last_audit: '2025-10-30' },
      International: { Basel_III: 'compatible', FATF: 'compliant', last_audit: null },
    },
    next_audit: '2026-02-15',
  },
  schema: z.strictObject({
    timestamp: asOf,
    compliance_status: described(
      z.string(),
      'The worst of all statuses, from compliant to non_compliant in this order; unknown ones count as under_review',
      { range: 'compliant, not_audited, under_review, non_compliant' },
    ),
    jurisdictions: z.strictObject({
      USA: jurisdiction('USA'),
      EU: jurisdiction('EU'),
      UK: jurisdiction('UK'),
      International: jurisdiction('International'),
    }),
    next_audit: z.nullable(
      calendarDate(
        'Day of the earliest audit that is scheduled; overdue if before the day of timestamp; null if none is scheduled',
      ),
    ),
  }),
  value({ state }) {
    const jurisdictions = standings(state).map(({ jurisdiction, statuses, last_audit }) => [
      jurisdiction,
      { ...statuses, last_audit },
    ]);
    const value = {
      timestamp: state.asOf,
      compliance_status: complianceStatus(state),
      jurisdictions: Object.fromEntries(jurisdictions),
      next_audit: nextAudits(state)[0]?.date ?? null,
    };
    return value;
  },
});
