import { describe, expect, test } from 'vitest';
import { companions } from '../../pipeline/artifacts/philosophy/companions.ts';
import { attestationId } from '../../pipeline/attestation/canonical-bytes.ts';
import { PublishedRegistry, trustOf } from '../../pipeline/attestation/published-registry.ts';
import { registryOf, registryStart } from '../../pipeline/attestation/registry.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import type { EventOf } from '../../pipeline/ledger/events/event.ts';
import { DECISIONS } from '../../pipeline/ledger/log/public-events.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { sampleEvents } from '../../pipeline/sample/sample-events.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';
import { COMPANIONS, forced } from '../attestation/signed-document.ts';
import { TestLedger } from '../model/events.ts';

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

  test('has an attestation for as long after its end as its description and the policy of the log say', () => {
    const { id, expires_at } = file.attestations[0]!;
    const end = Date.parse(expires_at);
    for (const words of [companions.description, DECISIONS.companion_attested.reason]) {
      const [, days] = /until (\d+) days after/.exec(words)!;
      const isListedAfter = (ms: number) => {
        const time = new Date(end + Number(days) * 86_400_000 + ms).toISOString();
        const reading = { type: 'mii_reading', data: { mii: 0.96 }, timestamp: time } as const;
        const later = apply(structuredClone(state), { event: { ...EVENTS.at(-1)!, ...reading }, hash: '' });
        const { attestations } = JSON.parse(companions.render({ ...view, state: later }));
        return attestations.some((one: { id: string }) => one.id === id);
      };
      expect([isListedAfter(0), isListedAfter(3_600_000)]).toEqual([true, false]);
    }
  });

  test('gives a verifier the verdicts that the ledger itself gives', () => {
    const unattested = { ...state.remembered, ...state.unattested };
    const known = { since: registryStart(file.timestamp), asOf: file.timestamp, unattested };
    const own = { companions: DEMO_COMPANIONS, registry: registryOf(state.companions, known) };
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
    expect(published.unattested.at(-1)).toMatchObject({ attestation, ended_at: attested.timestamp });
    const now = Date.parse(attested.timestamp);
    expect(verifyAttestation(JSON.stringify(document), { ...trustOf(published), now })).toMatchObject({
      valid: false,
      status: 'revoked',
    });
  });

  test('tells a verifier years later that what nobody ever attested was revoked, whatever date it bears', () => {
    const later = { attested_at: '2027-12-01T06:00:00Z', expires_at: '2028-01-01T00:00:00Z' };
    const document = forced(later);
    const events = new TestLedger()
      .add('2025-12-01T00:00:00Z', 'genesis', 'LEDGER', { allocation: '1', multipliers: {} })
      .add('2025-12-01T06:00:00Z', 'companion_revoked', 'REGISTRY', {
        attestation: attestationId(document),
        reason: 'The key was lost.',
      })
      .add('2027-12-01T00:00:00Z', 'mii_reading', 'MII', { mii: 0.96 });
    const [from] = COMPANIONS.companions;
    const keys = from!.keys.map(({ valid_until: _, ...key }) => key);
    const trusted = { companions: [{ ...from!, keys }], wallets: [] };
    const aged = companions.render({
      ...view,
      state: events.leaves.reduce(apply, emptyState()),
      companions: trusted,
    });
    const published = PublishedRegistry.parse(JSON.parse(aged));
    const verify = (given: PublishedRegistry) =>
      verifyAttestation(JSON.stringify(document), {
        ...trustOf(given),
        now: Date.parse('2027-12-02T00:00:00Z'),
      });
    expect(verify(published)).toMatchObject({
      valid: false,
      status: 'revoked',
      problems: [
        {
          code: 'revoked',
          message: 'It was revoked at 2025-12-01T06:00:00Z; the ledger’s event of that time says why.',
        },
      ],
    });
    // Nothing else is wrong with it: who forgets the revocation finds it valid.
    expect(verify({ ...published, unattested: [] })).toMatchObject({ valid: true, status: 'active' });
  });

  test('is refused by a verifier where a key is none', () => {
    const [first, ...others] = file.companions;
    const keys = first!.keys.map((key) => ({ ...key, public_key: '00'.repeat(32) }));
    expect(() => trustOf({ ...file, companions: [{ ...first!, keys }, ...others] })).toThrow('public_key');
  });
});
