import { coordinationScore, reward } from '../../pipeline/model/formulas.ts';
import { TestLedger } from '../model/events.ts';

const SENTINELS = {
  ATLAS: ['FOR-GOVERNMENTS', 2],
  HERMES: ['FOR-GOVERNMENTS', 2],
  AUREA: ['FOR-ECONOMISTS', 1.5],
  ECHO: ['FOR-ACADEMICS', 1.2],
  EVE: ['FOR-PHILOSOPHERS', 1],
} as const;
type Sentinel = keyof typeof SENTINELS;
const NAMES = Object.keys(SENTINELS) as Sentinel[];

/** Two years with something in every file, from genesis to 30 September 2026: the same events each time. */
export function fixtureLedger(): TestLedger {
  const ledger = new TestLedger();
  genesis(ledger);
  const first = Date.parse('2025-07-03');
  for (let day = 0; day <= 454; day += 1) {
    const date = new Date(first + day * 86_400_000).toISOString().slice(0, 10);
    if (day > 0) ledger.add(`${date}T00:00:00Z`, 'cycle_opened', 'LEDGER', {});
    if (day % 30 === 10) deliberate(ledger, date, day);
    if (day % 7 === 0) mintAll(ledger, date, day);
    if (day % 91 === 40) oversee(ledger, date, day);
    for (const name of NAMES) ledger.add(`${date}T12:00:00Z`, 'heartbeat', name, {});
    ledger.add(`${date}T18:00:00Z`, 'mii_reading', 'ATLAS', { mii: index(day) });
  }
  return ledger;
}

/** Around 0.96, below the threshold of about 0.948 now and then. */
function index(day: number): number {
  return Number((0.958 + 0.012 * Math.sin(day / 40) + 0.008 * Math.sin(day * 1.7)).toFixed(4));
}

function genesis(ledger: TestLedger): void {
  const at = '2025-07-03T00:00:00Z';
  const multipliers = Object.fromEntries(Object.values(SENTINELS));
  ledger.add(at, 'genesis', 'LEDGER', { allocation: '1000000.000000', multipliers });
  for (const name of NAMES) {
    const [cathedral] = SENTINELS[name];
    ledger.add(at, 'sentinel_registered', 'LEDGER', { sentinel: name, cathedral, role: 'witness' });
  }
  for (const app of ['ledger-viewer', 'audit-desk']) {
    ledger.add(at, 'app_registered', 'LEDGER', { name: app, version: '1.0.0', status: 'active' });
  }
  ledger.add(at, 'package_registered', 'LEDGER', { name: 'tiles', version: '0.4.1', status: 'active' });
  ledger.add(at, 'mic_lock', 'LEDGER', { amount: '120000.000000', contract: 'TREASURY' });
}

function mintAll(ledger: TestLedger, date: string, day: number): void {
  for (const [place, name] of NAMES.entries()) {
    const [cathedral, multiplier] = SENTINELS[name];
    const work = { apps: 9, packages: 5, workflows: 14 + place * 4, drift: 1.5, uptime_days: day };
    const score = coordinationScore(work);
    const gi_score = Number((0.97 - place * 0.012).toFixed(4));
    const amount = reward(score, multiplier).toFixed(6);
    const mint = { sentinel: name, cathedral, coordination_score: score, multiplier, amount };
    ledger.add(`${date}T06:00:00Z`, 'attestation', name, { ...work, gi_score, score });
    ledger.add(`${date}T06:00:00Z`, 'mic_mint', 'LEDGER', mint);
  }
  if (day % 63 === 0) {
    ledger.add(`${date}T06:30:00Z`, 'mic_burn', 'LEDGER', { amount: '2500.500000', reason: 'deflation' });
  }
}

function deliberate(ledger: TestLedger, date: string, day: number): void {
  const deliberation = `D-${day}`;
  const topic = `Whether the reading interval of “${date}” & <later> stays at six hours`;
  ledger.add(`${date}T01:00:00Z`, 'deliberation_opened', 'ATLAS', { deliberation, topic });
  for (const name of NAMES) {
    const reasoning = `${name} weighs a finer picture against the noise that comes with it.`;
    const stance = {
      deliberation,
      position: 'support' as const,
      reasoning,
      virtue_tags: ['prudence' as const],
    };
    ledger.add(`${date}T02:00:00Z`, 'position_taken', name, stance);
  }
  if (day > 430) return;
  const outcome = 'The interval stays; the question comes back in a quarter.';
  ledger.add(`${date}T03:00:00Z`, 'deliberation_closed', 'ATLAS', {
    deliberation,
    consensus: day % 60 === 10 ? 'reached' : 'not_reached',
    outcome,
  });
  ledger.add(`${date}T04:00:00Z`, 'decision_recorded', 'ATLAS', {
    decision: `DEC-${day}`,
    topic,
    frameworks_applied: ['precaution'],
    sentinels_involved: NAMES,
    reasoning: 'No reading of the last quarter would have been acted on sooner.',
    outcome,
    lessons_learned: 'Ask what a number would change before asking for it.',
    deliberation,
  });
}

function oversee(ledger: TestLedger, date: string, day: number): void {
  const at = `${date}T05:00:00Z`;
  ledger.add(at, 'compliance_audited', 'AUDITOR', {
    jurisdiction: 'USA',
    statuses: { SEC: 'utility_token', CFTC: 'compliant', Federal_Reserve_Act: 'compatible' },
  });
  ledger.add(at, 'compliance_audited', 'AUDITOR', {
    jurisdiction: 'EU',
    statuses: { GDPR: 'compliant', AI_Act: 'high_risk_compliant', MiCA: 'compliant' },
  });
  ledger.add(at, 'audit_scheduled', 'AUDITOR', { jurisdiction: 'EU', date: '2026-11-15' });
  ledger.add(at, 'policy_projected', 'AUREA', {
    policy: `Carbon dividend ${day}`,
    economic_impact: { debt_reduction_annual: '0.2 %', gdp_impact: '+0.1 %', job_creation: '+12,000' },
    social_impact: { access_improvement: 'wider', equity_impact: 'progressive', transparency: 'full' },
    risks: [{ risk: 'uneven uptake', severity: 'medium', mitigation: 'a staged start' }],
    timeline: 'three years',
  });
  const alert = `A-${day}`;
  const message = 'Readings of one source came late.';
  ledger.add(at, 'alert_raised', 'ATLAS', { alert, severity: 'info', scope: 'system', message });
}
