import { expect, test } from 'vitest';
import { isCheckOverdue, registryOf } from '../../pipeline/attestation/registry.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import {
  applyCompanionEvent,
  type CompanionState,
  isCompanionEvent,
} from '../../pipeline/model/companions.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';
import { EVENTS, ofType } from './year-and-more.ts';

const companions = DEMO_COMPANIONS;
const state: CompanionState = { companions: {}, unattested: {}, remembered: {} };
const findings = EVENTS.filter(isCompanionEvent).flatMap((event) => applyCompanionEvent(state, event));
const registered = state.companions;
const attested = ofType('companion_attested');
const end = Date.parse(EVENTS.at(-1)!.timestamp);

test('the fold accepts all attestations without a finding', () => {
  expect(attested.length).toBeGreaterThan(20);
  expect(findings).toEqual([]);
});

test('each document verifies when it is attested, with the signature of its wallet', () => {
  for (const { data, timestamp } of attested) {
    const trust = { companions, registry: null, now: Date.parse(timestamp) };
    const verdict = verifyAttestation(JSON.stringify(data.document), trust);
    expect(verdict).toMatchObject({ valid: true, id: data.attestation, warnings: [] });
    expect(verdict.checks.find(({ name }) => name === 'wallet')).toMatchObject({ result: 'passed' });
  }
});

test('attestations end in every possible way, and have no other fault', () => {
  const ends = new Set<string>();
  for (const { data } of attested) {
    const trust = { companions, registry: registryOf(registered), now: end };
    const { status } = verifyAttestation(JSON.stringify(data.document), trust);
    ends.add(`${status}${registered[data.attestation]!.reason?.startsWith('drift ') ? ' by drift' : ''}`);
  }
  expect([...ends].sort()).toEqual(['active', 'expired', 'revoked', 'revoked by drift', 'superseded']);
});

test('some drift checks come late', () => {
  expect(Object.values(registered).some(({ late_checks }) => late_checks > 0)).toBe(true);
});

test('at nearly any moment one active attestation has a late check', () => {
  const { companions: known } = state;
  expect(Object.values(known).some((one) => isCheckOverdue(one, end))).toBe(true);
});
