import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import { isCheckOverdue, statusAt } from '../../pipeline/attestation/registry.ts';
import {
  applyCompanionEvent,
  type CompanionEvent,
  type CompanionState,
  forgetCompanions,
} from '../../pipeline/model/companions.ts';

const A = 'a1'.repeat(32);
const B = 'b2'.repeat(32);
const DATA = {
  attested: {
    attestation: A,
    companion: 'LANTERN',
    ledger_id: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b',
    scope: ['ledger.read.export'],
    risk_level: 'low',
    expires_at: '2025-12-31T00:00:00Z',
    drift_threshold: 0.1,
  },
};

function event(type: CompanionEvent['type'], timestamp: string, data: object): CompanionEvent {
  return {
    seq: 0,
    cycle: 'C-151',
    agent: 'REGISTRY',
    salt: 'AAAAAAAAAAAAAAAAAAAAAA',
    type,
    timestamp,
    data,
  } as CompanionEvent;
}
const attested = (data: object = {}, timestamp = '2025-12-01T00:00:00Z') =>
  event('companion_attested', timestamp, { ...DATA.attested, ...data });
const drift = (score: number, timestamp = '2025-12-02T00:00:00Z', attestation = A) =>
  event('companion_drift', timestamp, { attestation, score });
const revoked = (timestamp = '2025-12-03T00:00:00Z', attestation = A) =>
  event('companion_revoked', timestamp, { attestation, reason: 'The task is done.' });
const renewal = (data: object = {}, timestamp = '2025-12-05T00:00:00Z') =>
  attested({ attestation: B, previous_attestation: A, ...data }, timestamp);

function fold(...events: CompanionEvent[]) {
  const state: CompanionState = { companions: {}, unattested: {}, remembered: {} };
  const findings = events.flatMap((one) => applyCompanionEvent(state, one));
  const { companions } = state;
  return { ...state, findings, a: companions[A]!, b: companions[B]! };
}
const ms = (time: string) => Date.parse(time);

describe('an attestation in the ledger', () => {
  test('is active until it expires', () => {
    const { a, findings } = fold(attested());
    expect(findings).toEqual([]);
    expect(a).toMatchObject({
      status: 'active',
      attested_at: '2025-12-01T00:00:00Z',
      check_interval: 'P1D',
      superseded_by: null,
    });
    expect(statusAt(a, ms('2025-12-30T23:59:59Z'))).toBe('active');
    expect(statusAt(a, ms('2025-12-31T00:00:00Z'))).toBe('expired');
  });

  test.each([
    [0.0999, 'active'],
    [0.1, 'revoked'],
    [1, 'revoked'],
  ])('with a drift of %s against a threshold of 0.1 is %s', (score, status) => {
    expect(fold(attested(), drift(score)).a).toMatchObject({
      status,
      drift: score,
      checked_at: '2025-12-02T00:00:00Z',
    });
  });

  test('is not revoked for drift if drift is not monitored or the attestation has expired', () => {
    expect(fold(attested({ drift_threshold: undefined }), drift(1)).a.status).toBe('active');
    expect(fold(attested(), drift(1, '2025-12-31T00:00:00Z')).a.status).toBe('active');
  });

  test('stays revoked despite a lower drift, a second attestation or a renewal', () => {
    const { a, b, findings } = fold(
      attested(),
      revoked(),
      drift(0),
      attested({}, '2025-12-04T00:00:00Z'),
      renewal(),
    );
    expect(a).toMatchObject({
      status: 'revoked',
      ended_at: '2025-12-03T00:00:00Z',
      reason: 'The task is done.',
    });
    expect(b.status).toBe('active');
    expect(findings).toEqual([
      `attestation ${A} was already attested`,
      `attestation ${B} renews ${A}, which was revoked`,
    ]);
  });

  test.each([
    ['by its id', A],
    ['by its UUID', attestationUuid(A)],
    ['by its UUID in capitals', attestationUuid(A).toUpperCase()],
  ])('is superseded by a renewal that names it %s', (_, previous_attestation) => {
    const { a, b, findings } = fold(attested(), renewal({ previous_attestation }));
    expect(findings).toEqual([]);
    expect(a).toMatchObject({ status: 'superseded', superseded_by: B, ended_at: '2025-12-05T00:00:00Z' });
    expect(b).toMatchObject({ status: 'active', renews: A });
  });

  test('that expired before its renewal stays expired', () => {
    const { a, findings } = fold(
      attested(),
      renewal({ expires_at: '2026-01-31T00:00:00Z' }, '2026-01-01T00:00:00Z'),
    );
    expect(findings).toEqual([]);
    expect([statusAt(a, ms('2026-01-02T00:00:00Z')), a.superseded_by]).toEqual(['expired', B]);
  });

  test.each([
    ['by another companion', { companion: 'TALLY' }, 'which has a different companion or ledger id'],
    [
      'for another entity',
      { ledger_id: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0c' },
      'which has a different companion or ledger id',
    ],
  ])('is not ended by a renewal %s', (_, data, fault) => {
    const { a, b, findings } = fold(attested(), renewal(data));
    expect([a.status, b.renews]).toEqual(['active', null]);
    expect(findings).toEqual([`attestation ${B} renews ${A}, ${fault}`]);
  });

  test('is renewed only once', () => {
    const { a, findings } = fold(attested(), renewal(), renewal({ attestation: 'c3'.repeat(32) }));
    expect(a.superseded_by).toBe(B);
    expect(findings).toEqual([`attestation ${'c3'.repeat(32)} renews ${A}, which was already renewed`]);
  });

  const GONE = 'which is not in the ledger or expired more than 90 days earlier';

  test.each([
    ['2026-03-31T00:00:00Z', A, []],
    ['2026-03-31T00:00:00.001Z', null, [`attestation ${B} renews ${A}, ${GONE}`]],
  ])(
    'that expired 90 days before %s is treated alike, whether it has been dropped or not',
    (at, renews, findings) => {
      const late = renewal({ expires_at: '2026-05-01T00:00:00Z' }, at);
      const kept = fold(attested(), late);
      expect([kept.b.renews, kept.findings]).toEqual([renews, findings]);
      const state: CompanionState = { companions: {}, unattested: {}, remembered: {} };
      applyCompanionEvent(state, attested());
      forgetCompanions(state, at);
      expect(applyCompanionEvent(state, late)).toEqual(findings);
      expect(state.companions[B]!.renews).toBe(renews);
    },
  );

  test('that renews itself or an unknown attestation is a finding', () => {
    expect(fold(attested({ previous_attestation: A }))).toMatchObject({
      a: { status: 'active' },
      findings: [`attestation ${A} renews itself`],
    });
    expect(fold(renewal()).findings).toEqual([`attestation ${B} renews ${A}, ${GONE}`]);
    expect(fold(attested({ previous_attestation: '__proto__' })).findings).toHaveLength(1);
  });

  test.each(['2026-03-01T00:05:01Z', '2025-12-01T00:00:00Z'])('valid until %s is a finding', (expires_at) => {
    expect(fold(attested({ expires_at })).findings).toEqual([
      `the validity of attestation ${A} is not between 0 and 90 days`,
    ]);
  });

  test('valid for 90 days by a clock 300 seconds ahead of the ledger’s is not a finding', () => {
    expect(fold(attested({ expires_at: '2026-03-01T00:05:00Z' })).findings).toEqual([]);
  });

  test('not attested yet is a finding when checked or revoked, and is not listed', () => {
    const { companions, findings } = fold(drift(0.5), revoked());
    expect(companions).toEqual({});
    expect(findings).toEqual([
      `drift score for unknown attestation ${A}`,
      `revocation of unknown attestation ${A}`,
    ]);
  });

  const NAMES = [
    ['its id', A],
    ['its id in capitals', A.toUpperCase()],
    ['its UUID', attestationUuid(A)],
    ['its UUID in capitals', attestationUuid(A).toUpperCase()],
  ] as const;

  test.each(NAMES)('is revoked by %s before or after it is attested', (_, name) => {
    const after = fold(attested(), revoked('2025-12-03T00:00:00Z', name));
    const before = fold(revoked('2025-11-30T00:00:00Z', name), attested());
    const end = { status: 'revoked', reason: 'The task is done.' };
    expect(after.a).toMatchObject({ ...end, ended_at: '2025-12-03T00:00:00Z' });
    expect(before.a).toMatchObject({ ...end, ended_at: '2025-11-30T00:00:00Z' });
    expect(before.findings.at(-1)).toBe(`attestation ${A} was revoked before it was attested`);
    expect([Object.keys(after.companions), before.unattested]).toEqual([[A], {}]);
  });

  test.each(NAMES)('takes drift scores by %s before or after it is attested', (_, name) => {
    expect(fold(attested(), drift(0.2, '2025-12-02T00:00:00Z', name)).a.status).toBe('revoked');
    expect(fold(drift(0.2, '2025-11-30T00:00:00Z', name), attested()).a).toMatchObject({
      status: 'revoked',
      drift: 0.2,
    });
    expect(fold(drift(0.05, '2025-11-30T00:00:00Z', name), attested()).a).toMatchObject({
      status: 'active',
      drift: 0.05,
    });
  });

  test('takes the highest of several earlier scores and the first of several earlier revocations', () => {
    const early = [drift(0.2, '2025-11-28T00:00:00Z'), drift(0.01, '2025-11-29T00:00:00Z')];
    expect(fold(...early, attested()).a).toMatchObject({ status: 'revoked', drift: 0.2 });
    const { a } = fold(revoked('2025-11-28T00:00:00Z'), revoked('2025-11-29T00:00:00Z'), attested());
    expect(a.ended_at).toBe('2025-11-28T00:00:00Z');
  });

  test('with its id in capitals is the same attestation', () => {
    const { companions, findings } = fold(attested({ attestation: A.toUpperCase() }), attested());
    expect(Object.keys(companions)).toEqual([A]);
    expect(findings).toEqual([`attestation ${A} was already attested`]);
  });

  test('keeps its UUID if an invalid id claims it', () => {
    const impostor = attested({ attestation: `${A.slice(0, 40)} and more` });
    const byName = attested({ attestation: attestationUuid(B) });
    const { b, companions } = fold(
      impostor,
      byName,
      attested(),
      attested({ attestation: B }),
      revoked('2025-12-03T00:00:00Z', attestationUuid(A)),
      revoked('2025-12-03T00:00:00Z', attestationUuid(B)),
    );
    expect(companions[impostor.data.attestation]!.status).toBe('active');
    expect([companions[A]!.status, b.status]).toEqual(['revoked', 'revoked']);
  });

  test('is revoked if it was attested and revoked by its UUID before it is attested by its id', () => {
    const uuid = attestationUuid(A);
    const { a, findings } = fold(
      attested({ attestation: uuid }),
      revoked('2025-12-02T00:00:00Z', uuid),
      attested({}, '2025-12-03T00:00:00Z'),
    );
    expect(a).toMatchObject({ status: 'revoked', ended_at: '2025-12-02T00:00:00Z' });
    expect(findings).toEqual([`attestation ${A} was revoked before it was attested`]);
  });

  test('has overdue drift checks by its own interval', () => {
    const { a } = fold(attested({ check_interval: 'PT6H' }), drift(0.01));
    expect(isCheckOverdue(a, ms('2025-12-02T06:00:00Z'))).toBe(false);
    expect(isCheckOverdue(a, ms('2025-12-02T06:00:01Z'))).toBe(true);
    expect(isCheckOverdue(a, ms('2026-12-02T06:00:01Z'))).toBe(false);
  });

  test('counts the checks that came after they were due', () => {
    const at = (time: string) => drift(0.01, time);
    const first = fold(attested(), at('2025-12-02T00:00:00Z'), at('2025-12-03T00:00:00Z'));
    expect(first.a.late_checks).toBe(0);
    const second = fold(attested(), at('2025-12-02T00:00:01Z'), at('2025-12-03T00:00:01Z'));
    expect(second.a.late_checks).toBe(1);
    expect(fold(attested({ drift_threshold: undefined }), at('2025-12-09T00:00:00Z')).a.late_checks).toBe(0);
    const ended = fold(attested(), revoked('2025-12-01T12:00:00Z'), at('2025-12-09T00:00:00Z'));
    expect(ended.a.late_checks).toBe(0);
  });

  test('never becomes active again after its end', () => {
    const id = fc.constantFrom(A, B);
    const day = fc
      .integer({ min: 2, max: 28 })
      .map((number) => `2025-12-${String(number).padStart(2, '0')}T00:00:00Z`);
    const any = fc.oneof(
      fc
        .tuple(id, day, fc.option(id, { nil: undefined }))
        .map(([attestation, at, previous_attestation]) =>
          attested({ attestation, previous_attestation }, at),
        ),
      fc
        .tuple(id, day, fc.double({ min: 0, max: 1, noNaN: true }))
        .map(([attestation, at, score]) => drift(score, at, attestation)),
      fc.tuple(id, day).map(([attestation, at]) => revoked(at, attestation)),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 12 }), (events) => {
        const state: CompanionState = { companions: {}, unattested: {}, remembered: {} };
        const ended = new Set<string>();
        for (const one of events.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1))) {
          applyCompanionEvent(state, one);
          for (const [name, { status }] of Object.entries(state.companions)) {
            if (status !== 'active') ended.add(name);
            else expect(ended.has(name)).toBe(false);
          }
        }
      }),
    );
  });
});
