import fc from 'fast-check';
import { EVENT_DATA, type KnownType } from '../../pipeline/ledger/events/event.ts';
import {
  ALERT_SCOPES,
  CATHEDRALS,
  JURISDICTIONS,
  POSITIONS,
  REGIMES,
  SEVERITIES,
  VIRTUES,
} from '../../pipeline/ledger/events/vocabulary.ts';
import { anyCharacter } from '../any-character.ts';
import { HOSTILE_IDS, type NastyEvent, type NastyLedger } from '../contract/release/nasty-events.ts';

type Data = Record<string, unknown>;

/** Few ids, so that they are given again and mean one thing here and another there. */
const id = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('ATLAS', 'atlas', 'd-1', 'finding-0-1', '7', '007', ...HOSTILE_IDS),
  },
  fc
    .string({ minLength: 1, maxLength: 200, unit: 'grapheme' })
    .filter((text) => text.length <= 200 && /^(?![=+\-@]|__proto__$)[^\p{Cc}\p{Cs}]*$/u.test(text)),
);
const text = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '\n', '\0', '\u0001\u001f\ufffe\uffff', '\u202eevil\u2066', '=SUM(1+1)', '@x', '-1', '+1'],
    ...[
      '\t',
      '"',
      '\r\n',
      '<!--',
      ']]>',
      '&amp;',
      '$' + '{x}',
      '{{x}}',
      '\\input{x}',
      '$%#_&~^',
      "'; DROP --",
    ],
    '</script><script>alert(1)</script>',
    ...[
      'Review of x: Whether',
      'e\u0301\u0302\u0303'.repeat(50),
      '👩‍👩‍👧‍👦',
      'א ב',
      'x'.repeat(20_000),
      'ATLAS d-1 C-0',
    ],
  ),
  fc.string({ maxLength: 60, unit: anyCharacter }).filter((one) => one.isWellFormed()),
);
const token = fc.constantFrom('a', 'non_compliant', 'compliant', 'constructor', `x${'_y'.repeat(40)}`);
const amount = fc.constantFrom('0', '0.000001', '1', '999999999999999.999999', '100000000000000', '12.5');
const share = fc.constantFrom(0, -0, 5e-324, 0.1 + 0.2, 1 - Number.EPSILON, 1);
const large = fc.constantFrom(0, -0, 5e-324, 1e-7, 1, 50, 1e21, Number.MAX_VALUE);
const points = fc.constantFrom(0, -0, 5e-324, 1e-7, 1, 50, 1e18);
const count = fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER);
const multiplier = fc.constantFrom(1, 1.2, 2, 1 + Number.EPSILON);
const cathedral = fc.constantFrom(...CATHEDRALS);
const release = fc.record({
  name: id,
  version: text.map((one) => one.slice(0, 100).toWellFormed() || '1'),
  status: token,
});
const instant = fc.constantFrom(
  '0000-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
);
const hex = fc.constantFrom('a'.repeat(64), 'b'.repeat(64), 'ATLAS');

/** What each type of event may say. A type without an entry does not compile. */
const DATA: { [T in KnownType]: fc.Arbitrary<Data> } = {
  genesis: fc.record({
    allocation: amount,
    multipliers: fc.dictionary(cathedral, multiplier),
    charter: text,
  }),
  cycle_opened: fc.constant({}),
  sentinel_registered: fc.record({ sentinel: id, cathedral, role: text }),
  sentinel_retired: fc.record({ sentinel: id }),
  heartbeat: fc.constant({}),
  attestation: fc.record({
    apps: count,
    packages: count,
    workflows: count,
    drift: fc.constantFrom(0, 10),
    uptime_days: large,
    gi_score: share,
    score: points,
  }),
  mic_mint: fc.record({ sentinel: id, cathedral, coordination_score: points, multiplier, amount }),
  mic_burn: fc.record({ amount, reason: token }),
  mic_lock: fc.record({ amount, contract: id }),
  mic_unlock: fc.record({ amount, contract: id }),
  multiplier_set: fc.record({ cathedral, multiplier, reason: token }),
  mii_reading: fc.record({ mii: share }),
  deliberation_opened: fc.record({ deliberation: id, topic: text }),
  position_taken: fc.record({
    deliberation: id,
    position: fc.constantFrom(...POSITIONS),
    reasoning: text,
    virtue_tags: fc.array(fc.constantFrom(...VIRTUES), { maxLength: 7 }),
  }),
  deliberation_closed: fc.record({
    deliberation: id,
    consensus: fc.constantFrom('reached', 'not_reached'),
    outcome: text,
  }),
  decision_recorded: fc.record({
    decision: id,
    topic: text,
    frameworks_applied: fc.array(text, { maxLength: 3 }),
    sentinels_involved: fc.array(id, { maxLength: 3 }),
    reasoning: text,
    outcome: text,
    lessons_learned: text,
  }),
  compliance_audited: fc.constantFrom(...JURISDICTIONS).chain((jurisdiction) =>
    fc.record({
      jurisdiction: fc.constant(jurisdiction),
      statuses: fc.record(Object.fromEntries(REGIMES[jurisdiction].map((regime) => [regime, token]))),
    }),
  ),
  audit_scheduled: fc.record({
    jurisdiction: fc.constantFrom(...JURISDICTIONS),
    date: fc.constantFrom('0000-01-01', '2026-02-28', '9999-12-31'),
  }),
  policy_projected: fc.record({
    policy: text,
    economic_impact: fc.record({ debt_reduction_annual: text, gdp_impact: text, job_creation: text }),
    social_impact: fc.record({ access_improvement: text, equity_impact: text, transparency: text }),
    risks: fc.array(fc.record({ risk: text, severity: text, mitigation: text }), { maxLength: 2 }),
    timeline: text,
  }),
  alert_raised: fc.record({
    alert: id,
    severity: fc.constantFrom(...SEVERITIES),
    scope: fc.constantFrom(...ALERT_SCOPES),
    message: text,
    sentinel: id,
  }),
  alert_cleared: fc.record({ alert: id }),
  app_registered: release,
  package_registered: release,
  companion_attested: fc.record({
    attestation: hex,
    companion: id,
    ledger_id: fc.uuid(),
    scope: fc.array(id, { minLength: 1, maxLength: 3 }),
    risk_level: fc.constantFrom('low', 'critical'),
    expires_at: instant,
    drift_threshold: share,
    check_interval: fc.constantFrom('P1D', 'PT1H', 'P9999Y'),
  }),
  companion_drift: fc.record({ attestation: hex, score: share }),
  companion_revoked: fc.record({ attestation: hex, reason: text }),
};

const known = fc
  .constantFrom(...(Object.keys(EVENT_DATA) as KnownType[]).filter((type) => type !== 'genesis'))
  .chain((type) => DATA[type].map((data): [string, Data] => [type, data]));
const unknown = fc.tuple(
  fc.constantFrom('other', 'constructor', 'future_type'),
  fc.object().map((o) => ({ o: JSON.parse(JSON.stringify(o)) })),
);
/** Many events share an instant; others are a day, a hundred days or millennia apart. */
const pause = fc.constantFrom(0, 0, 0, 1, 3_600_000, 86_400_000, 100 * 86_400_000, 500 * 365 * 86_400_000);
const cycle = fc.constantFrom(undefined, undefined, undefined, 'C-0', `C-${'9'.repeat(400)}`);
const event = fc.record({
  what: fc.oneof({ weight: 9, arbitrary: known }, unknown),
  agent: id,
  pause,
  cycle,
});
const END = Date.parse('9999-12-31T23:59:59.999Z');

/** A ledger that the schemas of the events allow, in up to four snapshots. */
export const nastyLedger = (events: number): fc.Arbitrary<NastyLedger> =>
  fc
    .record({
      start: fc.constantFrom('0000-01-01T00:00:00Z', '2025-07-03T00:00:00Z', '9999-12-01T00:00:00Z'),
      genesis: fc.option(DATA.genesis),
      events: fc.array(event, { minLength: 1, maxLength: events, size: 'max' }),
      cuts: fc.array(fc.nat(events), { maxLength: 3 }),
    })
    .map(({ start, genesis, events: drawn, cuts }) => {
      let time = Date.parse(start);
      const all: NastyEvent[] = genesis ? [[start, 'genesis', 'LEDGER', genesis]] : [];
      for (const { what, agent, pause, cycle } of drawn) {
        time = Math.min(time + pause, END);
        all.push([new Date(time).toISOString(), what[0], agent, what[1], cycle]);
      }
      const ends = [...cuts.filter((cut) => cut > 0 && cut < all.length).sort((a, b) => a - b), all.length];
      return ends.map((end, index) => all.slice(ends[index - 1] ?? 0, end));
    });
