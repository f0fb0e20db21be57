import { hash } from 'node:crypto';
import { EVENT_DATA, type EventOf, type KnownEvent, type KnownType } from './event.ts';
import { cycleOf } from './slot.ts';

type Example<T extends KnownType> = Pick<EventOf<T>, 'timestamp' | 'agent' | 'data'>;

const ATTESTATION = '2c5522f93876b80745fe0af10797703550101f93640ca8758f60b0cee3558335';

/** An event of each type, invented. In order of time they are a ledger without findings; a test folds it. */
const EXAMPLES: { [T in KnownType]: Example<T> } = {
  genesis: {
    timestamp: '2025-12-01T00:00:00Z',
    agent: 'LEDGER',
    data: {
      allocation: '1000000',
      multipliers: { 'FOR-GOVERNMENTS': 1.5, 'FOR-ECONOMISTS': 1.25 },
      charter: 'Every decision is recorded with its reasons.',
    },
  },
  cycle_opened: { timestamp: '2025-12-01T00:00:00Z', agent: 'LEDGER', data: {} },
  sentinel_registered: {
    timestamp: '2025-12-01T00:00:03Z',
    agent: 'LEDGER',
    data: { sentinel: 'ATLAS', cathedral: 'FOR-GOVERNMENTS', role: 'Watches the budget' },
  },
  sentinel_retired: {
    timestamp: '2026-01-30T12:00:00Z',
    agent: 'LEDGER',
    data: { sentinel: 'ATLAS', reason: 'Its work is done.' },
  },
  heartbeat: { timestamp: '2025-12-01T06:00:05Z', agent: 'ATLAS', data: {} },
  attestation: {
    timestamp: '2025-12-22T09:15:00Z',
    agent: 'ATLAS',
    data: {
      apps: 9,
      packages: 5,
      workflows: 14,
      drift: 1.2,
      uptime_days: 21,
      gi_score: 0.972,
      score: 35.5109,
    },
  },
  mic_mint: {
    timestamp: '2025-12-22T09:15:02Z',
    agent: 'MINT',
    data: {
      sentinel: 'ATLAS',
      cathedral: 'FOR-GOVERNMENTS',
      coordination_score: 35.5109,
      multiplier: 1.5,
      amount: '489.619075',
    },
  },
  mic_burn: {
    timestamp: '2025-12-23T10:00:00Z',
    agent: 'TREASURY',
    data: { amount: '12.5', reason: 'transaction_fees' },
  },
  mic_lock: {
    timestamp: '2025-12-23T10:30:00Z',
    agent: 'TREASURY',
    data: { amount: '250', contract: 'bonds' },
  },
  mic_unlock: {
    timestamp: '2026-01-20T10:30:00Z',
    agent: 'TREASURY',
    data: { amount: '100.25', contract: 'bonds' },
  },
  multiplier_set: {
    timestamp: '2026-01-10T15:00:00Z',
    agent: 'COUNCIL',
    data: { cathedral: 'FOR-ECONOMISTS', multiplier: 1.3, reason: 'more_work' },
  },
  mii_reading: { timestamp: '2025-12-01T00:05:00Z', agent: 'MII', data: { mii: 0.9731 } },
  deliberation_opened: {
    timestamp: '2026-01-10T09:00:00Z',
    agent: 'COUNCIL',
    data: { deliberation: 'd-1', topic: 'Should the multiplier of FOR-ECONOMISTS rise to 1.3?' },
  },
  position_taken: {
    timestamp: '2026-01-10T10:20:00Z',
    agent: 'ATLAS',
    data: {
      deliberation: 'd-1',
      position: 'support_with_conditions',
      reasoning: 'The work has grown. The effect should be reviewed after a year.',
      virtue_tags: ['prudence', 'justice'],
    },
  },
  deliberation_closed: {
    timestamp: '2026-01-10T14:00:00Z',
    agent: 'COUNCIL',
    data: {
      deliberation: 'd-1',
      consensus: 'reached',
      outcome: 'The multiplier rises to 1.3 and is reviewed after a year.',
    },
  },
  decision_recorded: {
    timestamp: '2026-01-10T14:30:00Z',
    agent: 'ARCHIVE',
    data: {
      decision: 'decision-1',
      topic: 'Multiplier of FOR-ECONOMISTS',
      frameworks_applied: ['Proportionality'],
      sentinels_involved: ['ATLAS'],
      reasoning: 'The work of the cathedral has grown by a fifth.',
      outcome: 'The multiplier rises to 1.3 and is reviewed after a year.',
      lessons_learned: 'Agree on the figures before the deliberation.',
      deliberation: 'd-1',
    },
  },
  compliance_audited: {
    timestamp: '2026-01-15T16:00:00Z',
    agent: 'AUDIT',
    data: {
      jurisdiction: 'EU',
      statuses: { GDPR: 'compliant', AI_Act: 'high_risk_compliant', MiCA: 'under_review' },
    },
  },
  audit_scheduled: {
    timestamp: '2026-01-15T16:00:00Z',
    agent: 'AUDIT',
    data: { jurisdiction: 'EU', date: '2026-04-15' },
  },
  policy_projected: {
    timestamp: '2026-01-12T11:00:00Z',
    agent: 'POLICY',
    data: {
      policy: 'Open procurement on the audit trail',
      economic_impact: {
        debt_reduction_annual: '0.4 % of the outstanding debt of participating bodies',
        gdp_impact: '+0.08 % after three years, from lower mark-ups on contracts',
        job_creation: '1,400 full-time posts in small suppliers',
      },
      social_impact: {
        access_improvement: '9 % more bids from first-time bidders',
        equity_impact: 'Favours small suppliers outside the capitals; neutral between sectors.',
        transparency: 'Every award is on the ledger on the day it is made.',
      },
      risks: [
        {
          risk: 'Suppliers agree on their bids',
          severity: 'medium',
          mitigation: 'Bids stay sealed until the award.',
        },
      ],
      timeline: 'A pilot of two quarters, then all bodies within a year.',
    },
  },
  alert_raised: {
    timestamp: '2026-01-25T18:00:00Z',
    agent: 'WATCH',
    data: {
      alert: 'outage-atlas-206',
      severity: 'warning',
      scope: 'sentinel',
      message: 'No heartbeat of ATLAS for 12 hours.',
      sentinel: 'ATLAS',
    },
  },
  alert_cleared: { timestamp: '2026-01-25T19:30:00Z', agent: 'WATCH', data: { alert: 'outage-atlas-206' } },
  app_registered: {
    timestamp: '2025-12-01T08:00:00Z',
    agent: 'REGISTRY',
    data: { name: 'audit-room', version: '1.0.0', status: 'active' },
  },
  package_registered: {
    timestamp: '2025-12-01T08:10:00Z',
    agent: 'REGISTRY',
    data: { name: 'ledger-reader', version: '0.9.1', status: 'beta' },
  },
  companion_attested: {
    timestamp: '2025-12-01T06:00:05Z',
    agent: 'REGISTRY',
    data: {
      attestation: ATTESTATION,
      companion: 'EXAMPLE',
      ledger_id: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b',
      scope: ['ledger.read.export'],
      risk_level: 'low',
      expires_at: '2026-02-28T06:00:00Z',
      drift_threshold: 0.1,
      check_interval: 'P1D',
    },
  },
  companion_drift: {
    timestamp: '2025-12-01T18:00:00Z',
    agent: 'WITNESS',
    data: { attestation: ATTESTATION, score: 0.03 },
  },
  companion_revoked: {
    timestamp: '2025-12-02T09:30:00Z',
    agent: 'REGISTRY',
    data: { attestation: ATTESTATION, reason: 'The key was lost.' },
  },
};

/** The examples as a ledger, in order of time. The same in every run. */
export const EXAMPLE_LEDGER: readonly KnownEvent[] = (Object.keys(EVENT_DATA) as KnownType[])
  .map((type) => ({ type, ...EXAMPLES[type] }))
  .sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
  .map(({ timestamp, type, agent, data }, seq) => {
    const salt = Buffer.from(hash('sha256', type, 'hex').slice(0, 32), 'hex').toString('base64url');
    return { seq, timestamp, cycle: cycleOf(timestamp), type, agent, data, salt } as KnownEvent;
  });

export function exampleOf<T extends KnownType>(type: T): EventOf<T> {
  return EXAMPLE_LEDGER.find((event) => event.type === type) as EventOf<T>;
}
