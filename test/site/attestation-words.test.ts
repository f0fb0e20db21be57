import { expect, test } from 'vitest';
import type {
  PublishedAttestation,
  PublishedRegistry,
} from '../../pipeline/attestation/published-registry.ts';
import { formatInterval } from '../../pipeline/words/duration.ts';
import {
  attestationRow,
  overdueChecks,
  registrySentence,
} from '../../src/site/components/attestations/registry.ts';

const ON_TIME: PublishedAttestation = {
  id: 'a1'.repeat(32),
  uuid: 'a1a1a1a1-a1a1-81a1-a1a1-a1a1a1a1a1a1',
  companion: 'LANTERN',
  ledger_id: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b',
  scope: ['ledger.read.export'],
  risk_level: 'low',
  attested_at: '2025-12-01T06:00:00Z',
  expires_at: '2026-02-01T06:00:00Z',
  drift_threshold: 0.1,
  check_interval: 'PT6H',
  drift: 0.038,
  checked_at: '2025-12-02T06:00:00Z',
  check_late: false,
  late_checks: 0,
  status: 'active',
  ended_at: null,
  reason: null,
  superseded_by: null,
  renews: null,
};
const registry = (...attestations: PublishedAttestation[]): PublishedRegistry => ({
  timestamp: '2025-12-03T12:00:00Z',
  companions: [],
  wallets: [],
  attestations,
  unattested: [],
});

test('a drift check that is late is told with what was due and what came', () => {
  const late = { ...ON_TIME, check_late: true, late_checks: 2 };
  const never = { ...late, id: 'b2'.repeat(32), companion: 'TALLY', drift: null, checked_at: null };
  const given = registry(ON_TIME, late, never);
  expect(overdueChecks(given)).toEqual([
    {
      name: 'LANTERN, a1a1a1a1a1a1…',
      words: 'due every 6 hours; the last was on 2 December 2025, 06:00 UTC.',
    },
    {
      name: 'TALLY, b2b2b2b2b2b2…',
      words: 'due every 6 hours; none since it was attested on 1 December 2025, 06:00 UTC.',
    },
  ]);
  expect(registrySentence(given)).toBe('Of the attestations in the ledger, 3 are active.');
  expect(attestationRow(late).at(-1)).toBe('0.038 of 0.1; check overdue; 2 late earlier');
});

test('where none is late, that is said', () => {
  expect(overdueChecks(registry(ON_TIME))).toEqual([]);
  expect(registrySentence(registry(ON_TIME))).toMatch(/No drift check is overdue\.$/);
});

test.each([
  ['PT6H', '6 hours'],
  ['P1D', 'day'],
  ['PT24H', 'day'],
  ['P1W', '7 days'],
  ['PT90M', '90 minutes'],
  ['PT1S', 'second'],
  ['PT0S', 'PT0S'],
  [`P${'9'.repeat(400)}D`, `P${'9'.repeat(400)}D`],
])('every %s is every %s', (duration, words) => {
  expect(formatInterval(duration)).toBe(words);
});
