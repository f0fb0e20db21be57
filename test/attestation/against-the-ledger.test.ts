import { describe, expect, test } from 'vitest';
import { attestationId, attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import type { Trust } from '../../pipeline/attestation/check.ts';
import { checkRenewal } from '../../pipeline/attestation/checks/registry.ts';
import { parseAttestation } from '../../pipeline/attestation/parse-attestation.ts';
import type { Registered } from '../../pipeline/attestation/registered.ts';
import { registryOf } from '../../pipeline/attestation/registry.ts';
import {
  at,
  COMPANIONS,
  resultOf,
  signed,
  TRUST,
  UNSIGNED,
  verifyDocument as verify,
} from './signed-document.ts';

const DOCUMENT = signed();
const ID = attestationId(DOCUMENT);

const ENTRY: Registered = {
  companion: 'LANTERN',
  ledger_id: UNSIGNED.ledger_id,
  scope: UNSIGNED.scope,
  risk_level: 'medium',
  attested_at: '2025-12-01T06:00:05Z',
  expires_at: UNSIGNED.expires_at,
  drift_threshold: 0.2,
  check_interval: 'PT12H',
  drift: null,
  checked_at: null,
  late_checks: 0,
  status: 'active',
  ended_at: null,
  reason: null,
  superseded_by: null,
  renews: null,
};
const inLedger = (changes: Partial<Registered> = {}, id = ID) => ({
  registry: registryOf({ [id]: { ...ENTRY, ...changes } }),
});

describe('with what the ledger has', () => {
  test.each([
    [{ companion: 'TALLY' }, '/attested_by'],
    [{ ledger_id: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0c' }, '/ledger_id'],
    [{ scope: ['ledger.read.export'] }, '/scope'],
    [{ risk_level: 'low' as const }, '/risk_level'],
    [{ expires_at: '2026-02-28T06:00:01Z' }, '/expires_at'],
    [{ attested_at: '2025-12-01T05:54:59Z' }, '/attested_at'],
    [{ drift_threshold: null }, '/drift_monitoring'],
    [{ check_interval: 'P1D' }, '/drift_monitoring/check_interval'],
    [{ renews: 'f'.repeat(64) }, '/metadata/previous_attestation'],
  ])('it is refused if that is %j', (changes, pointer) => {
    const verdict = verify(DOCUMENT, inLedger(changes));
    expect(verdict).toMatchObject({
      valid: false,
      status: 'invalid',
      problems: [{ code: 'registration_differs', pointer }],
    });
  });

  test.each([
    ['2025-12-01T18:00:05Z', null, false],
    ['2025-12-01T18:00:06Z', null, true],
    ['2025-12-02T06:00:00Z', '2025-12-01T18:00:00Z', false],
    ['2025-12-02T06:00:00.001Z', '2025-12-01T18:00:00Z', true],
  ])('at %s, last checked %s, a late drift check is a warning: %s', (now, checked_at, isLate) => {
    const verdict = verify(DOCUMENT, {
      ...inLedger({ checked_at, drift: checked_at === null ? null : 0.01 }),
      ...at(now),
    });
    expect(verdict.valid).toBe(true);
    expect(verdict.warnings.map(({ code }) => code)).toEqual(isLate ? ['drift_check_late'] : []);
  });

  test('an attestation that ended before the registry starts is not unknown', () => {
    const registry = registryOf({}, { since: '2026-06-01T00:00:00Z', asOf: null });
    const verdict = verify(DOCUMENT, { registry, ...at('2026-09-01T00:00:00Z') });
    expect(verdict).toMatchObject({ status: 'expired', warnings: [] });
    expect(resultOf(verdict, 'registration')).toBe('not_checked');
    const began = registryOf({}, { since: UNSIGNED.expires_at, asOf: null });
    expect(verify(DOCUMENT, { registry: began }).warnings).toMatchObject([{ code: 'not_registered' }]);
  });

  const early = { ended_at: null, reason: null, drift: null, checked_at: null };
  const lost = { ...early, ended_at: '2025-12-01T05:00:00Z', reason: 'The key was lost.' };
  const drifted = (drift: number) => ({ ...early, drift, checked_at: '2025-12-01T05:00:00Z' });

  test.each([
    ['revoked by its id', { [ID]: lost }, 'The key was lost.'],
    ['revoked by its UUID', { [attestationUuid(ID)]: lost }, 'The key was lost.'],
    ['found to have drifted', { [ID]: drifted(0.2) }, 'drift 0.2 reached the threshold 0.2'],
    [
      'revoked, and drifted under its other name',
      { [ID]: drifted(0.9), [attestationUuid(ID)]: lost },
      'The key was lost.',
    ],
  ])('it is revoked even before the ledger has it, if it was %s', (_, unattested, reason) => {
    expect(verify(DOCUMENT, { registry: registryOf({}, { unattested }) })).toMatchObject({
      valid: false,
      status: 'revoked',
      problems: [
        { code: 'revoked', pointer: '', message: `It was revoked at 2025-12-01T05:00:00Z: ${reason}` },
      ],
      warnings: [{ code: 'not_registered' }],
    });
  });

  test('it is revoked if the ledger lists and revoked only its UUID', () => {
    const end = { status: 'revoked', ended_at: '2025-12-01T10:00:00Z', reason: 'lost' } as const;
    const verdict = verify(DOCUMENT, inLedger(end, attestationUuid(ID)));
    expect(verdict).toMatchObject({ valid: false, status: 'revoked' });
    expect(verify(DOCUMENT, inLedger({}, attestationUuid(ID)))).toMatchObject({
      valid: true,
      warnings: [{ code: 'not_registered' }],
    });
  });

  test('a check that the registry cannot have yet is not late', () => {
    const entry = { ...ENTRY, checked_at: '2025-12-02T06:00:00Z' };
    const asOf = (time: string) => registryOf({ [ID]: entry }, { since: null, asOf: time });
    const codes = (registry: Trust['registry']) =>
      verify(DOCUMENT, { registry, ...at('2025-12-03T06:00:00Z') }).warnings.map(({ code }) => code);
    expect(codes(asOf('2025-12-02T18:00:00Z'))).toEqual([]);
    expect(codes(asOf('2025-12-02T18:00:01Z'))).toEqual(['drift_check_late']);
  });
});

describe('a renewal', () => {
  const previous = attestationUuid(ID);
  const renewal = signed({
    attested_at: '2025-12-01T11:00:00Z',
    metadata: { previous_attestation: previous.toUpperCase() },
  });

  test('names its predecessor by UUID', () => {
    expect(verify(renewal, inLedger())).toMatchObject({
      valid: true,
      warnings: [{ code: 'not_registered' }],
    });
    expect(resultOf(verify(renewal), 'renewal')).toBe('not_checked');
  });

  /** The predecessor, and the ledger's result for the renewal. */
  const taken = (before: Partial<Registered>, after: Partial<Registered>) => ({
    registry: registryOf({
      [ID]: { ...ENTRY, ...before },
      [attestationId(renewal)]: { ...ENTRY, attested_at: '2025-12-01T11:00:05Z', ...after },
    }),
  });
  const REVOKED = { status: 'revoked', ended_at: '2025-12-01T11:30:00Z', reason: 'drift' } as const;

  test('is valid after its predecessor was superseded by it or expired', () => {
    const superseded_by = attestationId(renewal);
    const ended = { status: 'superseded', ended_at: '2025-12-01T11:00:01Z', superseded_by } as const;
    expect(resultOf(verify(renewal, inLedger(ended)), 'renewal')).toBe('passed');
    expect(resultOf(verify(renewal, inLedger({ expires_at: '2025-12-01T07:00:00Z' })), 'renewal')).toBe(
      'passed',
    );
  });

  test('stays valid if the predecessor was revoked later', () => {
    expect(verify(renewal, taken(REVOKED, { renews: ID }))).toMatchObject({ valid: true });
  });

  test.each<[string, ReturnType<typeof taken>]>([
    ['previous_of_another', taken({ companion: 'TALLY' }, {})],
    // Its own date is before the revocation, but only the companion states that date.
    ['previous_revoked', taken({ ...REVOKED, ended_at: '2025-12-01T11:00:04Z' }, {})],
    ['previous_superseded', taken({ superseded_by: 'f'.repeat(64) }, {})],
    ['registration_differs', taken({}, {})],
    ['registration_differs', taken(REVOKED, {})],
    ['registration_differs', taken({}, { renews: 'f'.repeat(64) })],
    [
      'previous_unknown',
      {
        registry: registryOf({ [attestationId(renewal)]: { ...ENTRY, attested_at: '2025-12-01T11:00:05Z' } }),
      },
    ],
  ])('that the ledger has refused is refused for %s', (code, trust) => {
    const verdict = verify(renewal, trust);
    expect(verdict).toMatchObject({ valid: false, status: 'invalid' });
    expect(verdict.problems).toMatchObject([{ code, pointer: '/metadata/previous_attestation' }]);
  });

  test.each([
    ['2025-12-01T12:00:00Z', 'passed'],
    ['2025-12-01T12:00:00.001Z', 'failed'],
  ])('at %s of one that expired 90 days before: %s, registered or not', (now, result) => {
    const ended = { expires_at: '2025-09-02T12:00:00Z' };
    const unregistered = verify(renewal, { ...inLedger(ended), ...at(now) });
    expect(resultOf(unregistered, 'renewal')).toBe(result);
    const renews = result === 'passed' ? ID : null;
    const registered = verify(renewal, { ...taken(ended, { attested_at: now, renews }), ...at(now) });
    expect(resultOf(registered, 'renewal')).toBe(result);
    for (const { problems } of result === 'failed' ? [unregistered, registered] : [])
      expect(problems).toMatchObject([{ code: 'previous_unknown' }]);
  });

  test('is not refused if the registry may have dropped the predecessor', () => {
    const since = (time: string) => ({ registry: registryOf({}, { since: time, asOf: null }) });
    expect(resultOf(verify(renewal, since('2025-12-01T11:00:00Z')), 'renewal')).toBe('failed');
    expect(resultOf(verify(renewal, since('2025-12-01T11:00:01Z')), 'renewal')).toBe('not_checked');
  });

  test.each<[string, Partial<Trust>]>([
    ['previous_unknown', { registry: registryOf({}) }],
    ['previous_of_another', inLedger({ companion: 'TALLY' })],
    ['previous_of_another', inLedger({ ledger_id: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0c' })],
    [
      'previous_superseded',
      inLedger({ status: 'superseded', ended_at: '2025-12-01T10:00:00Z', superseded_by: 'f'.repeat(64) }),
    ],
    ['previous_revoked', inLedger({ status: 'revoked', ended_at: '2025-12-01T11:00:00Z', reason: 'drift' })],
    // Outside the ledger, it could have been backdated to before the revocation.
    ['previous_revoked', inLedger({ status: 'revoked', ended_at: '2025-12-01T11:30:00Z', reason: 'drift' })],
  ])('is refused for %s', (code, trust) => {
    const verdict = verify(renewal, trust);
    expect(verdict).toMatchObject({ valid: false, status: 'invalid' });
    expect(verdict.problems).toMatchObject([{ code, pointer: '/metadata/previous_attestation' }]);
  });

  test('is refused if it names itself, even without a ledger', () => {
    // No document can contain its own hash, so this calls the check directly.
    const parsed = parseAttestation(JSON.stringify(renewal));
    if ('problems' in parsed) throw new Error('refused');
    expect(checkRenewal({ ...TRUST, ...parsed, message: new Uint8Array(), id: ID }).problems).toMatchObject([
      { code: 'previous_is_itself', pointer: '/metadata/previous_attestation' },
    ]);
  });
});

describe('a signature by a key that has ended', () => {
  const { companions, wallets } = COMPANIONS;
  const endingAt = (valid_until: string): Trust['companions'] => ({
    companions: companions.map((one) => ({
      ...one,
      keys: one.keys.map((key) => ({ ...key, valid_until })),
    })),
    wallets,
  });

  test.each([
    ['2025-12-01T06:04:59Z', false],
    ['2025-12-01T06:05:00Z', true],
  ])('is a warning if the ledger accepted it at %s, 300 seconds after its end: %s', (attested_at, warns) => {
    const document = signed({ attested_at: '2025-12-01T05:59:59Z' });
    const entry = { registry: registryOf({ [attestationId(document)]: { ...ENTRY, attested_at } }) };
    const found = verify(document, { ...entry, companions: endingAt('2025-12-01T06:00:00Z') });
    expect(found.valid).toBe(true);
    expect(found.warnings).toMatchObject(warns ? [{ code: 'key_ended', pointer: '/attested_at' }] : []);
  });
});
