import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { Envelope, EVENT_DATA } from '../../../pipeline/ledger/events/event.ts';
import { assertEvent } from '../../../pipeline/ledger/events/event-check.ts';
import { sampleEvents } from './sample-events.ts';

/** Values on both sides of each limit and pattern in the event schemas. */
const POKES: unknown[] = [
  ...[0, -0, 1, -1, 1.5, 2, 2.0001, 10, 10.1, 2 ** 53, -(2 ** 53), 1e308, true, false, null, [], {}],
  ...[
    '',
    'a',
    'A',
    'a_b',
    '_a',
    'a__b',
    '1',
    'ATLAS',
    '=1',
    '@a',
    '-a',
    '__proto__',
    'x'.repeat(201),
    'é',
    '😀',
  ],
  ...['x'.repeat(20_001), 'C-0', 'C-01', 'C-151', 'c-1', '12.5', '1.1234567', '01', '-1', '1e3'],
  ...['2025-12-01', '2025-02-30', '2024-02-29', '2025-12-01T06:00:00Z', '2025-12-01T06:00:00.123456789Z'],
  ...['2025-12-01T06:00Z', '2025-12-01T06:00:60Z', '2025-12-01T24:00:00Z', '2025-12-01T06:00:00+00:00'],
  ...['2025-02-29T06:00:00Z', '2025-12-01T06:00:00.Z', '2025-12-01t06:00:00z', '2025-12-01T06:00:00Z\n'],
  ...['AAAAAAAAAAAAAAAAAAAAAA', 'AAAAAAAAAAAAAAAAAAAAAB', 'AAAAAAAAAAAAAAAAAAAAA', '_-AAAAAAAAAAAAAAAAAAAw'],
  ...['support', 'prudence', 'FOR-GOVERNMENTS', 'DIPLOMACY', 'USA', 'EU', 'warning', 'low', 'reached'],
  ...['8c5b6c1e-6d9c-4c5e-9f0a-0d3b6f1f0a11', '8c5b6c1e-6d9c-9c5e-9f0a-0d3b6f1f0a11', ['prudence'], ['envy']],
  ...[[''], ['a'], { a: 1 }, { constructor: 1 }, [1], { 'FOR-GOVERNMENTS': 2 }, { 'FOR-GOVERNMENTS': 3 }],
];

const poke = fc.oneof(
  fc.constantFrom<unknown>(...POKES),
  fc.jsonValue(),
  fc.string(),
  fc.double({ noNaN: true }),
);

/** Objects with most of a schema's members, often with valid values, and sometimes with additional members. */
function candidates(shape: Record<string, unknown>, valid: Record<string, unknown>[]) {
  const members = Object.fromEntries(Object.keys(shape).map((name) => [name, poke]));
  const free = fc.record(members, { requiredKeys: [] });
  if (valid.length === 0) return free;
  const changes = fc.dictionary(
    fc.constantFrom(...Object.keys(shape), 'other', '__proto__', 'toString'),
    poke,
    {
      maxKeys: 2,
    },
  );
  const dropped = fc.subarray(Object.keys(shape), { maxLength: Math.min(1, Object.keys(shape).length) });
  const near = fc.tuple(fc.constantFrom(...valid), changes, dropped).map(([value, changed, gone]) => {
    const entries = Object.entries({ ...value, ...changed }).filter(([name]) => !gone.includes(name));
    return Object.fromEntries(entries);
  });
  return fc.oneof({ weight: 4, arbitrary: near }, free);
}

/** Expects `assertEvent` to accept exactly the events that the uncompiled schemas accept. */
function expectAgreement(
  schema: z.ZodMiniType,
  values: fc.Arbitrary<unknown>,
  eventOf: (value: unknown) => unknown,
): { accepted: number; refused: number } {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(values, (value) => {
      // Through JSON, as in a ledger: `__proto__` becomes an own member, -0 becomes 0.
      const parsed = JSON.parse(JSON.stringify(value) ?? 'null');
      const { success } = schema.safeParse(parsed);
      expect(accepts(eventOf(parsed))).toBe(success);
      seen[success ? 'accepted' : 'refused'] += 1;
    }),
    { numRuns: 500 },
  );
  return seen;
}

function accepts(event: unknown): boolean {
  try {
    assertEvent(event, () => 'here');
    return true;
  } catch {
    return false;
  }
}

/** Valid data of types that the sample does not have. */
const EXAMPLES: Record<string, Record<string, unknown>[]> = {
  companion_attested: [
    {
      attestation: 'a',
      companion: 'c',
      ledger_id: '8c5b6c1e-6d9c-4c5e-9f0a-0d3b6f1f0a11',
      scope: ['a'],
      risk_level: 'low',
      expires_at: '2025-12-01T06:00:00Z',
      drift_threshold: 0.5,
    },
  ],
  compliance_audited: [
    { jurisdiction: 'EU', statuses: { GDPR: 'compliant', AI_Act: 'compliant', MiCA: 'under_review' } },
  ],
  policy_projected: [
    {
      policy: 'p',
      economic_impact: { debt_reduction_annual: '1', gdp_impact: '2', job_creation: '3' },
      social_impact: { access_improvement: '1', equity_impact: '2', transparency: '3' },
      risks: [{ risk: 'r', severity: 's', mitigation: '' }],
      timeline: 't',
    },
  ],
};
for (const { type, data } of sampleEvents(20)) EXAMPLES[type] = [...(EXAMPLES[type] ?? []), data];

const [FIRST] = sampleEvents(1);

describe('an event is accepted exactly if its schemas accept it', () => {
  test('members of the envelope', () => {
    // A type without a schema, so that only the envelope matters.
    const events = sampleEvents(12).map((event) => ({ ...event, type: 'unknown' }));
    const unknownType = (value: unknown) =>
      Object.hasOwn(EVENT_DATA, (value as { type: string } | null)?.type ?? '')
        ? { ...(value as object), type: 'unknown' }
        : value;
    const seen = expectAgreement(Envelope, candidates(Envelope.shape, events), unknownType);
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(10);
  });

  test.each(Object.entries(EVENT_DATA))('data of %s', (type, schema) => {
    const shape = 'shape' in schema ? schema.shape : { jurisdiction: 0, statuses: 0 };
    const eventOf = (data: unknown) => ({ ...FIRST, type, data });
    const seen = expectAgreement(schema, candidates(shape, EXAMPLES[type] ?? []), eventOf);
    if (EXAMPLES[type]) expect(seen.accepted).toBeGreaterThan(10);
  });

  test.each(['constructor', '__proto__', 'toString'])('with a member %s in data only', (name) => {
    const line = JSON.stringify(FIRST).replace('{"seq"', `{"${name}":1,"seq"`);
    expect(accepts(JSON.parse(line))).toBe(false);
    const data = JSON.parse(`{"${name}":1}`);
    expect(accepts({ ...FIRST, type: 'heartbeat', data })).toBe(true);
  });

  test.each([NaN, Infinity, undefined, new Date(0), new Map(), () => 1, Symbol('a'), 1n])(
    'never %s, which is not JSON',
    (value) => {
      expect(accepts(value)).toBe(false);
      expect(accepts({ ...FIRST, type: 'mii_reading', data: { mii: value } })).toBe(false);
      expect(accepts({ ...FIRST, data: value })).toBe(false);
    },
  );
});

test.each([['the envelope', Envelope] as const, ...Object.entries(EVENT_DATA)])(
  'zod compiles the whole schema of %s, which makes reading a ledger fast',
  (_, schema) => {
    expect(() => z.compile<z.ZodMiniType>(schema, { strict: true })).not.toThrow();
  },
);
