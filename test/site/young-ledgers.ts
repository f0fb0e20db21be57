import { coordinationScore, reward } from '../../pipeline/model/formulas.ts';
import { cycleLabel } from '../model/cycle.ts';
import { TestLedger } from '../model/events.ts';

const GENESIS = '2026-10-01T00:00:00Z';
const SENTINELS = {
  ATLAS: ['FOR-GOVERNMENTS', 1.5],
  HERMES: ['FOR-GOVERNMENTS', 1.5],
  AUREA: ['FOR-ECONOMISTS', 1.2],
  MIDAS: ['FOR-ECONOMISTS', 1.2],
  ECHO: ['FOR-ACADEMICS', 1],
} as const;
type Sentinel = keyof typeof SENTINELS;
const NAMES = Object.keys(SENTINELS) as Sentinel[];
const MULTIPLIERS = { 'FOR-GOVERNMENTS': 1.5, 'FOR-ECONOMISTS': 1.2, 'FOR-ACADEMICS': 1 };

/** Ledgers as organisations have them on their first days, from 2026-10-01. */
export const YOUNG_LEDGERS = {
  /** The event that begins a ledger, and nothing else. */
  genesis: () => begin(new TestLedger()),
  /** One sentinel, for one day. */
  'first-day': firstDay,
  /** A hundred events in three days. */
  'three-days': threeDays,
  /** Forty days of work and mints, without heartbeats, readings, audits or debates. */
  'work-only': workOnly,
  /** Events of an organisation's own types, as an import has them. */
  'unknown-types': unknownTypes,
} satisfies Record<string, () => TestLedger>;
export type YoungLedger = keyof typeof YOUNG_LEDGERS;

function begin(ledger: TestLedger): TestLedger {
  return ledger.add(GENESIS, 'genesis', 'LEDGER', { allocation: '1000000', multipliers: MULTIPLIERS });
}

function register(ledger: TestLedger, names: readonly Sentinel[]): void {
  for (const name of names) {
    const [cathedral] = SENTINELS[name];
    ledger.add(GENESIS, 'sentinel_registered', 'LEDGER', { sentinel: name, cathedral });
  }
}

const dayOf = (day: number) => new Date(Date.parse(GENESIS) + day * 86_400_000).toISOString().slice(0, 10);

function work(ledger: TestLedger, time: string, day: number, name: Sentinel): void {
  const place = NAMES.indexOf(name);
  const done = {
    apps: 3 + place,
    packages: 2 + (day % 3),
    workflows: 9 - place,
    drift: 1.5,
    uptime_days: day,
  };
  const score = coordinationScore(done);
  const [cathedral, multiplier] = SENTINELS[name];
  const amount = reward(score, multiplier).toFixed(6);
  const mint = { sentinel: name, cathedral, coordination_score: score, multiplier, amount };
  ledger
    .add(time, 'attestation', name, { ...done, gi_score: 0.96 - place / 100, score })
    .add(time, 'mic_mint', 'MINT', mint);
}

function firstDay(): TestLedger {
  const ledger = begin(new TestLedger());
  register(ledger, ['ATLAS']);
  ledger
    .add('2026-10-01T06:00:00Z', 'mii_reading', 'ATLAS', { mii: 0.9731 })
    .add('2026-10-01T09:00:00Z', 'heartbeat', 'ATLAS', {});
  work(ledger, '2026-10-01T10:00:00Z', 0, 'ATLAS');
  return ledger.add('2026-10-01T17:00:00Z', 'heartbeat', 'ATLAS', {});
}

function threeDays(): TestLedger {
  const ledger = begin(new TestLedger());
  register(ledger, NAMES);
  for (let day = 0; day < 3; day += 1) {
    const date = dayOf(day);
    if (day > 0) ledger.add(`${date}T00:00:00Z`, 'cycle_opened', 'LEDGER', {});
    for (const time of ['03:00', '09:00', '15:00', '21:00']) {
      for (const name of NAMES) ledger.add(`${date}T${time}:00Z`, 'heartbeat', name, {});
      if (time === '09:00') for (const name of NAMES) work(ledger, `${date}T10:00:00Z`, day, name);
      if (time === '15:00')
        ledger.add(`${date}T16:00:00Z`, 'mii_reading', 'ATLAS', { mii: 0.9612 + day / 500 });
    }
    if (day === 1) govern(ledger);
  }
  return ledger;
}

function govern(ledger: TestLedger): void {
  const deliberation = 'D-1';
  const topic = 'Whether readings are taken once a day';
  ledger.add('2026-10-02T21:05:00Z', 'deliberation_opened', 'ATLAS', { deliberation, topic });
  for (const [place, name] of NAMES.entries())
    ledger.add('2026-10-02T21:10:00Z', 'position_taken', name, {
      deliberation,
      position: place === 3 ? 'oppose' : 'support',
      reasoning:
        place === 3 ? 'One reading a day would hide an outage of hours.' : 'It is enough to begin with.',
      virtue_tags: ['prudence'],
    });
  const outcome = 'One reading a day, to be reviewed after a month.';
  ledger
    .add('2026-10-02T21:20:00Z', 'deliberation_closed', 'ATLAS', {
      deliberation,
      consensus: 'reached',
      outcome,
    })
    .add('2026-10-02T21:30:00Z', 'decision_recorded', 'ATLAS', {
      decision: 'DEC-1',
      topic,
      frameworks_applied: ['precaution'],
      sentinels_involved: NAMES,
      reasoning: 'Four of five support it.',
      outcome,
      lessons_learned: '',
      deliberation,
    })
    .add('2026-10-02T21:40:00Z', 'compliance_audited', 'AUDITOR', {
      jurisdiction: 'EU',
      statuses: { GDPR: 'compliant', AI_Act: 'under_review', MiCA: 'compliant' },
    })
    .add('2026-10-02T21:50:00Z', 'alert_raised', 'ATLAS', {
      alert: 'A-1',
      severity: 'info',
      scope: 'system',
      message: 'A backup of the readings took longer than planned.',
    });
}

function workOnly(): TestLedger {
  const ledger = begin(new TestLedger());
  register(ledger, NAMES);
  for (let day = 0; day < 40; day += 1)
    for (const name of NAMES) work(ledger, `${dayOf(day)}T10:00:00Z`, day, name);
  return ledger;
}

function unknownTypes(): TestLedger {
  const ledger = new TestLedger();
  for (let seq = 0; seq < 30; seq += 1) {
    const timestamp = `${dayOf(Math.floor(seq / 10))}T${String(8 + (seq % 10)).padStart(2, '0')}:00:00Z`;
    const type = ['civic_genesis', 'vote_cast', 'proposal_submitted'][seq === 0 ? 0 : 1 + (seq % 2)]!;
    const source = { event_id: `e-${seq}` };
    ledger.leaves.push({
      event: {
        seq,
        timestamp,
        cycle: cycleLabel(timestamp),
        type,
        agent: 'citizen-7',
        data: { source },
        salt: 'A'.repeat(22),
      },
      hash: seq.toString(16).padStart(64, '0'),
    } as TestLedger['leaves'][number]);
  }
  return ledger;
}
