import { coordinationScore, reward } from '../../pipeline/model/formulas.ts';
import { TestLedger } from '../model/events.ts';

const SENTINELS = {
  ATLAS: ['FOR-GOVERNMENTS', 2],
  AUREA: ['FOR-ECONOMISTS', 1.5],
  ECHO: ['FOR-ACADEMICS', 1.2],
  EVE: ['FOR-PHILOSOPHERS', 1],
} as const;
type Sentinel = keyof typeof SENTINELS;
const NAMES = Object.keys(SENTINELS) as Sentinel[];
const STANCES = ['support', 'support_with_conditions', 'oppose', 'abstain'] as const;
const FIRST = Date.parse('2025-12-01');

/** So many days with something in every chart: an outage, a fall of the index, a multiplier that is set, an open question. */
export function smallLedger(days: number): TestLedger {
  const ledger = new TestLedger();
  begin(ledger);
  for (let day = 0; day < days; day += 1) {
    const date = new Date(FIRST + day * 86_400_000).toISOString().slice(0, 10);
    for (const [place, name] of NAMES.entries()) attest(ledger, date, day, name, place);
    ledger.add(`${date}T06:00:00Z`, 'mii_reading', 'MII', { mii: indexOn(day) });
    if (day % 5 === 2)
      ledger.add(`${date}T07:00:00Z`, 'mic_burn', 'TREASURY', { amount: '750.5', reason: 'fee' });
    if (day % 9 === 4)
      ledger.add(`${date}T08:00:00Z`, 'mic_lock', 'TREASURY', { amount: '4000', contract: 'grants' });
    if (day % 4 === 1) deliberate(ledger, date, day, days);
    if (day % 30 === 11) oversee(ledger, date);
    for (const time of ['11:00', '18:00', '23:59'])
      for (const name of NAMES) if (isUp(name, day)) ledger.add(`${date}T${time}:00Z`, 'heartbeat', name, {});
  }
  return ledger;
}

function begin(ledger: TestLedger): void {
  const at = '2025-12-01T00:00:00Z';
  const multipliers = Object.fromEntries(Object.values(SENTINELS));
  ledger.add(at, 'genesis', 'LEDGER', { allocation: '50000', multipliers });
  for (const name of NAMES)
    ledger.add(at, 'sentinel_registered', 'LEDGER', { sentinel: name, cathedral: SENTINELS[name][0] });
  ledger.add(at, 'mic_lock', 'LEDGER', { amount: '12000', contract: 'TREASURY' });
}

/** Silent for days now and then, so that it is degraded and offline. */
function isUp(name: Sentinel, day: number): boolean {
  return name === 'EVE' ? day % 11 > 1 : name !== 'ECHO' || day % 17 !== 3;
}

function indexOn(day: number): number {
  return Number((0.965 + 0.012 * Math.sin(day / 4) - (day % 19 === 8 ? 0.04 : 0)).toFixed(4));
}

function attest(ledger: TestLedger, date: string, day: number, name: Sentinel, place: number): void {
  const work = {
    apps: 9 - place,
    packages: 5,
    workflows: 20 - 3 * place,
    drift: 1,
    uptime_days: 1 + (day % 23),
  };
  const score = coordinationScore(work);
  const [cathedral, multiplier] = SENTINELS[name];
  const amount = reward(score, multiplier).toFixed(6);
  ledger
    .add(`${date}T01:00:00Z`, 'attestation', name, { ...work, gi_score: 0.97 - place / 100, score })
    .add(`${date}T01:00:00Z`, 'mic_mint', 'MINT', {
      sentinel: name,
      cathedral,
      coordination_score: score,
      multiplier,
      amount,
    });
}

function deliberate(ledger: TestLedger, date: string, day: number, days: number): void {
  const deliberation = `D-${day}`;
  const topic = `Whether the readings of “${date}” & <later> are to be kept at six hours, or taken every hour from now on`;
  ledger.add(`${date}T09:00:00Z`, 'deliberation_opened', 'ATLAS', { deliberation, topic });
  for (const [place, name] of NAMES.entries()) {
    if (place === day % 7) continue;
    const position = STANCES[(Math.floor(day / 4) + place * 3) % 4]!;
    const stance = { deliberation, position, reasoning: 'It is.', virtue_tags: [] };
    ledger.add(`${date}T10:00:00Z`, 'position_taken', name, stance);
  }
  if (day > days - 4) return;
  const consensus = day % 12 === 5 ? 'not_reached' : 'reached';
  ledger.add(`${date}T11:00:00Z`, 'deliberation_closed', 'ATLAS', {
    deliberation,
    consensus,
    outcome: 'So.',
  });
}

function oversee(ledger: TestLedger, date: string): void {
  const at = `${date}T11:30:00Z`;
  const statuses = { GDPR: 'compliant', AI_Act: 'non_compliant', MiCA: 'compliant' };
  ledger
    .add(at, 'compliance_audited', 'AUDITOR', { jurisdiction: 'EU', statuses })
    .add(at, 'audit_scheduled', 'AUDITOR', { jurisdiction: 'USA', date: '2026-03-15' })
    .add(at, 'multiplier_set', 'COUNCIL', {
      cathedral: 'FOR-ECONOMISTS',
      multiplier: 1.35,
      reason: 'supply_restraint',
    })
    .add(at, 'policy_projected', 'AUREA', {
      policy: 'Carbon dividend',
      economic_impact: { debt_reduction_annual: '0.2 %', gdp_impact: '+0.1 %', job_creation: '12' },
      social_impact: { access_improvement: 'wider', equity_impact: 'even', transparency: 'full' },
      risks: [],
      timeline: 'a year',
    });
}
