/**
 * What restricted files look like, by path: invented, for nothing of such a file may stand in a public document. A test
 * checks each against its file's schema.
 */
export const RESTRICTED_EXAMPLES: Readonly<Record<string, unknown>> = {
  'government/compliance-report.json': {
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
  'government/policy-impact.json': {
    timestamp: '2025-12-01T05:58:12Z',
    projections: [
      {
        policy: 'An invented policy',
        economic_impact: {
          debt_reduction_annual: '0.2 % of the budget',
          gdp_impact: '+0.1 %',
          job_creation: '12,000 in three years',
        },
        social_impact: {
          access_improvement: 'Two more offices in each region',
          equity_impact: 'Spread evenly over the regions',
          transparency: 'Quarterly figures are published',
        },
        risks: [{ risk: 'Uneven uptake', severity: 'medium', mitigation: 'A staged start' }],
        timeline: 'Three years',
      },
    ],
  },
};
