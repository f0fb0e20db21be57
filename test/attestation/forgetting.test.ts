import fc from 'fast-check';
import { expect, test } from 'vitest';
import { companions as artifact } from '../../pipeline/artifacts/philosophy/companions.ts';
import { attestationId, attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import type { Companions } from '../../pipeline/attestation/companions.ts';
import type { JsonObject } from '../../pipeline/attestation/limited-json.ts';
import { PublishedRegistry, trustOf } from '../../pipeline/attestation/published-registry.ts';
import { registryOf } from '../../pipeline/attestation/registry.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import {
  applyCompanionEvent,
  type CompanionState,
  isCompanionEvent,
} from '../../pipeline/model/companions.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { TestLedger } from '../model/events.ts';
import { COMPANIONS, forced, type UNSIGNED } from './signed-document.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2025-12-01T00:00:00Z');
const dayAfter = (days: number) => new Date(START + days * DAY_MS).toISOString();
const keys = COMPANIONS.companions[0]!.keys.map(({ valid_until: _, ...key }) => key);
const TRUSTED: Companions = { companions: [{ companion: 'LANTERN', keys }], wallets: [] };

const made = (day: number, days: number, previous?: string): JsonObject =>
  forced({
    attested_at: dayAfter(day),
    expires_at: dayAfter(day + days),
    metadata: previous === undefined ? {} : { previous_attestation: previous },
  });
const first = made(0, 30);
/** Some have future dates, which no honest companion signs. One renews another, and two renew the same. */
const DOCUMENTS = [
  first,
  made(20, 90, attestationUuid(attestationId(first))),
  made(25, 60, attestationUuid(attestationId(first))),
  made(400, 90),
  made(700, 30),
];
const IDS = DOCUMENTS.map((document) => attestationId(document));

const place = fc.nat({ max: DOCUMENTS.length - 1 });
const name = fc
  .tuple(place, fc.constantFrom('id', 'uuid', 'capitals'))
  .map(([one, form]) =>
    form === 'id' ? IDS[one]! : form === 'uuid' ? attestationUuid(IDS[one]!) : IDS[one]!.toUpperCase(),
  );
const step = fc.record({
  days: fc.integer({ min: 0, max: 200 }),
  type: fc.constantFrom('attested', 'attested', 'revoked', 'drift'),
  place,
  name,
  score: fc.constantFrom(0.01, 0.2, 1),
  /** The ledger's statements about its end, true or not. */
  until: fc.option(fc.integer({ min: 1, max: 90 }), { nil: null }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function ledgerOf(steps: readonly Step[]): TestLedger {
  const ledger = new TestLedger();
  let day = 0;
  for (const { days, type, place, name, score, until } of steps) {
    day += days;
    const at = dayAfter(day);
    if (type === 'revoked') ledger.add(at, 'companion_revoked', 'W', { attestation: name, reason: 'Lost.' });
    else if (type === 'drift') ledger.add(at, 'companion_drift', 'W', { attestation: name, score });
    else
      ledger.add(
        at,
        'companion_attested',
        'LANTERN',
        attestedData(place, until === null ? null : dayAfter(day + until)),
      );
  }
  return ledger.add(dayAfter(day + 1), 'mii_reading', 'MII', { mii: 0.96 });
}

function attestedData(place: number, until: string | null) {
  const { ledger_id, scope, expires_at, metadata } = DOCUMENTS[place] as typeof UNSIGNED & {
    metadata: { previous_attestation?: string };
  };
  const { previous_attestation } = metadata;
  return {
    attestation: IDS[place]!,
    companion: 'LANTERN',
    ledger_id,
    scope,
    risk_level: 'medium' as const,
    expires_at: until ?? expires_at,
    drift_threshold: 0.2,
    check_interval: 'PT12H',
    ...(previous_attestation && { previous_attestation }),
  };
}

test('an attestation revoked according to the whole ledger is never valid for any verifier', () => {
  const seen = { listed: 0, gone: 0 };
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 14 }), fc.nat({ max: 90 }), (steps, wait) => {
      const { leaves } = ledgerOf(steps);
      const whole: CompanionState = { companions: {}, unattested: {}, remembered: {} };
      for (const { event } of leaves) if (isCompanionEvent(event)) applyCompanionEvent(whole, event);
      const state = leaves.reduce(apply, emptyState());
      const view = { state, companions: TRUSTED, documents: null as never, baseUrl: '' };
      const published = trustOf(PublishedRegistry.parse(JSON.parse(artifact.render(view))));
      const now = Date.parse(state.asOf) + wait * DAY_MS;
      const known = { companions: TRUSTED, registry: registryOf(whole.companions, whole) };
      for (const [index, document] of DOCUMENTS.entries()) {
        const text = JSON.stringify(document);
        const { problems } = verifyAttestation(text, { ...known, now });
        if (!problems.some(({ code }) => code === 'revoked')) continue;
        expect(verifyAttestation(text, { ...published, now }).problems).toContainEqual(
          expect.objectContaining({ code: 'revoked' }),
        );
        seen[state.companions[IDS[index]!] ? 'listed' : 'gone'] += 1;
      }
    }),
    { numRuns: 40 },
  );
  expect(Math.min(seen.listed, seen.gone)).toBeGreaterThan(0);
});
