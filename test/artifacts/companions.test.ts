import { describe, expect, test } from 'vitest';
import { companions } from '../../pipeline/artifacts/philosophy/companions.ts';
import { PublishedRegistry, trustOf } from '../../pipeline/attestation/published-registry.ts';
import { keptSince, registryOf } from '../../pipeline/attestation/registry.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import type { EventOf } from '../../pipeline/ledger/event.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { emptyState } from '../../pipeline/model/state.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';

const EVENTS = [...sampleEvents({ to: '2025-12-03' })].flatMap(({ events }) => events);
const state = EVENTS.reduce((before, event) => apply(before, { event, hash: '' }), emptyState());
const view = { state, companions: DEMO_COMPANIONS, documents: null as never, baseUrl: '' };
const file = PublishedRegistry.parse(JSON.parse(companions.render(view)));
const documents = EVENTS.filter(
  (event): event is EventOf<'companion_attested'> => event.type === 'companion_attested',
).map(({ data }) => JSON.stringify(data.document));

describe('/philosophy/companions.json', () => {
  test('has what the ledger has, newest first, as of its own time', () => {
    const ids = file.attestations.map(({ id }) => id);
    expect(ids).toEqual(Object.keys(state.companions).reverse());
    const statuses = new Set(file.attestations.map(({ status }) => status));
    expect([...statuses].sort()).toEqual(['active', 'expired', 'revoked', 'superseded']);
    const time = Date.parse(file.timestamp);
    for (const { status, expires_at } of file.attestations)
      if (status === 'active' || status === 'expired')
        expect(status).toBe(Date.parse(expires_at) > time ? 'active' : 'expired');
  });

  test('gives a verifier the verdicts that the ledger itself gives', () => {
    const since = { since: keptSince(file.timestamp), asOf: file.timestamp };
    const own = { companions: DEMO_COMPANIONS, registry: registryOf(state.companions, since) };
    for (const now of [Date.parse(file.timestamp), Date.parse('2026-02-01T00:00:00Z')])
      for (const document of documents)
        expect(verifyAttestation(document, { ...trustOf(file), now })).toEqual(
          verifyAttestation(document, { ...own, now }),
        );
  });

  test('tells a verifier of a revocation that came before the attestation did', () => {
    const attested = EVENTS.findLast(({ type }) => type === 'companion_attested')!;
    const { attestation, document } = attested.data as EventOf<'companion_attested'>['data'];
    const revoked = {
      type: 'companion_revoked',
      data: { attestation, reason: 'The key was lost.' },
    } as const;
    const events = EVENTS.map((event) => (event === attested ? { ...event, ...revoked } : event));
    const other = events.reduce((before, event) => apply(before, { event, hash: '' }), emptyState());
    const published = PublishedRegistry.parse(JSON.parse(companions.render({ ...view, state: other })));
    expect(published.unattested).toMatchObject([{ attestation, ended_at: attested.timestamp }]);
    const now = Date.parse(attested.timestamp);
    expect(verifyAttestation(JSON.stringify(document), { ...trustOf(published), now })).toMatchObject({
      valid: false,
      status: 'revoked',
    });
  });

  test('is refused by a verifier where a key is none', () => {
    const [first, ...others] = file.companions;
    const keys = first!.keys.map((key) => ({ ...key, public_key: '00'.repeat(32) }));
    expect(() => trustOf({ ...file, companions: [{ ...first!, keys }, ...others] })).toThrow('public_key');
  });
});
