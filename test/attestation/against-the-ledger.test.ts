import { describe, expect, test } from 'vitest';
import { attestationId, attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import { checkRenewal } from '../../pipeline/attestation/checks/registry.ts';
import { parseAttestation } from '../../pipeline/attestation/parse-attestation.ts';
import type { Registered } from '../../pipeline/attestation/registered.ts';
import { registryOf } from '../../pipeline/attestation/registry.ts';
import {
  at,
  REGISTERED,
  resultOf,
  signed,
  TRUST,
  UNSIGNED,
  verifyDocument as verify,
} from './signed-document.ts';

const DOCUMENT = signed();
const ID = attestationId(DOCUMENT);

const inLedger = (changes: Partial<Registered> = {}, id = ID) => ({
  registry: registryOf({ [id]: { ...REGISTERED, ...changes } }),
});

describe('with what the ledger has', () => {
  test('an attestation that ended before the registry starts is not unknown', () => {
    const registry = registryOf({}, { since: '2026-06-01T00:00:00Z', asOf: null });
    const verdict = verify(DOCUMENT, { registry, ...at('2026-09-01T00:00:00Z') });
    expect(verdict).toMatchObject({ status: 'expired', warnings: [] });
    expect(resultOf(verdict, 'registration')).toBe('not_checked');
    const began = registryOf({}, { since: UNSIGNED.expires_at, asOf: null });
    expect(verify(DOCUMENT, { registry: began }).warnings).toMatchObject([{ code: 'not_registered' }]);
  });
});

describe('a renewal', () => {
  const previous = attestationUuid(ID);
  const renewal = signed({
    attested_at: '2025-12-01T11:00:00Z',
    metadata: { previous_attestation: previous.toUpperCase() },
  });

  /** The predecessor, and the ledger's result for the renewal. */
  const taken = (before: Partial<Registered>, after: Partial<Registered>) => ({
    registry: registryOf({
      [ID]: { ...REGISTERED, ...before },
      [attestationId(renewal)]: { ...REGISTERED, attested_at: '2025-12-01T11:00:05Z', ...after },
    }),
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

  test('is refused if it names itself, even without a ledger', () => {
    // No document can contain its own hash, so this calls the check directly.
    const parsed = parseAttestation(JSON.stringify(renewal));
    if ('problems' in parsed) throw new Error('refused');
    expect(checkRenewal({ ...TRUST, ...parsed, message: new Uint8Array(), id: ID }).problems).toMatchObject([
      { code: 'previous_is_itself', pointer: '/metadata/previous_attestation' },
    ]);
  });
});
