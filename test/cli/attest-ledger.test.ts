import { cpSync, globSync, rmSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { companions as artifact } from '../../pipeline/artifacts/philosophy/companions.ts';
import { attestationId, attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import { PublishedRegistry, trustOf } from '../../pipeline/attestation/published-registry.ts';
import type { JsonObject } from '../../pipeline/attestation/read-json.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { LedgerWriter } from '../../pipeline/ledger/writing/ledger-writer.ts';
import { readCompanionLedger } from '../../pipeline/model/companion-ledger.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { COMPANIONS, LANTERN, NOW, signed, UNSIGNED } from '../attestation/signed-document.ts';
import {
  attestationApp,
  DOCUMENT as PUBLISHED,
  UUID as PUBLISHED_UUID,
  REGISTRY,
} from '../sidecar/attestations/attestation-app.ts';
import { openAttestCli, PASSPHRASE } from './attest-cli.ts';

const { inFolder, save, attest } = openAttestCli();
const AT = '2025-07-04T00:00:00Z';
const ID = 'c'.repeat(64);
const UUID = attestationUuid(ID);
const VERIFIERS = [demoSigner().verifier];
const LOST = { type: 'companion_revoked', attestation: ID, reason: 'The key was lost.' };

/** A sample ledger of a day, with more events at its end. */
async function ledgerWith(name: string, added: ({ type: string; timestamp?: string } & JsonObject)[]) {
  const ledger = inFolder(name);
  cpSync(inFolder('sample'), ledger, { recursive: true });
  const { last } = await readCompanionLedger({ ledger, verifiers: VERIFIERS });
  const options = { verifiers: VERIFIERS, now: Date.now, waitMs: 0, holder: 'a test' };
  const writer = await LedgerWriter.open(ledger, options);
  await writer.append(
    added.map(({ type, timestamp = AT, ...data }) => ({
      ...{ type, timestamp, cycle: last!.cycle, agent: 'WITNESS', data, salt: 'A'.repeat(22) },
    })),
  );
  writer.close();
  return ledger;
}

beforeAll(() => writeSample({ out: inFolder('sample'), from: '2025-07-03', to: Date.parse(AT) }));

describe('an attestation that was revoked before it was attested', () => {
  test.each([
    ['its id', ID],
    ['its UUID', UUID],
  ])('is reported as revoked by %s, with time, agent and reason', async (_, attestation) => {
    const ledger = await ledgerWith(attestation, [{ ...LOST, attestation }]);
    for (const asked of [ID, UUID.toUpperCase()]) {
      const { status, stdout } = await attest('status', { ledger, attestation: asked, json: true });
      expect(status).toBe(1);
      expect(JSON.parse(stdout)).toEqual({
        registered: false,
        id: asked === ID ? ID : null,
        uuid: UUID,
        status: 'revoked',
        ended_at: AT,
        reason: LOST.reason,
        ended_by: 'WITNESS',
      });
    }
    const told = await attest('status', { ledger, attestation: ID });
    expect(told.stdout).toMatch(
      /^note +It was revoked before it was attested: the ledger does not have the attestation yet\.$/m,
    );
    const again = await attest('revoke', { ledger, attestation: ID, reason: 'Again.' });
    const found = `found one that was revoked at ${AT} by WITNESS, before it was attested: ${LOST.reason}`;
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining(found) });
  });
});

describe('a clock that is behind the ledger', () => {
  const DOCUMENT = signed({ attested_at: AT, expires_at: '2025-07-04T03:00:00Z' }, LANTERN, Date.parse(AT));
  const { ledger_id, scope, risk_level } = UNSIGNED;
  const TAKEN = {
    type: 'companion_attested',
    timestamp: '2025-07-04T00:01:00Z',
    attestation: attestationId(DOCUMENT),
    companion: 'LANTERN',
    ledger_id,
    scope,
    risk_level,
    expires_at: '2025-07-04T03:00:00Z',
    drift_threshold: 0.2,
    check_interval: 'PT12H',
  };
  const reading = (timestamp: string) => ({ type: 'mii_reading', timestamp, mii: 0.96 });
  const at = (time: string) => () => Date.parse(time);

  /** The verdicts of the command and of the service, which only has the published file. */
  async function verdicts(ledger: string, clock: () => number) {
    const [file, companions] = [save('signed.json', DOCUMENT), save('own.json', COMPANIONS)];
    const { stdout } = await attest('verify', { ledger, file, companions, json: true }, PASSPHRASE, clock);
    const { file: _, ...own } = JSON.parse(stdout)[0];
    const { state } = await readCompanionLedger({ ledger, verifiers: VERIFIERS });
    const view = { state, companions: COMPANIONS, documents: null as never, baseUrl: '' };
    const published = PublishedRegistry.parse(JSON.parse(artifact.render(view)));
    return {
      own,
      served: verifyAttestation(JSON.stringify(DOCUMENT), { ...trustOf(published), now: clock() }),
    };
  }

  test('sees a revocation immediately although its time is that of an event ahead of the clock', async () => {
    const ledger = await ledgerWith('ahead', [TAKEN, reading('2025-07-04T00:05:00Z')]);
    const clock = at('2025-07-04T00:01:10Z');
    const id = TAKEN.attestation;
    const revoked = await attest(
      'revoke',
      { ledger, attestation: id, reason: 'stolen', json: true },
      PASSPHRASE,
      clock,
    );
    expect(JSON.parse(revoked.stdout)).toMatchObject({ timestamp: '2025-07-04T00:05:00Z' });
    const { own, served } = await verdicts(ledger, clock);
    expect(own).toMatchObject({ valid: false, status: 'revoked' });
    expect(own).toEqual(served);
    const { status, stdout } = await attest('status', { ledger, attestation: id }, PASSPHRASE, clock);
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^status +revoked$/m)]);
  });
});

test('a ledger whose snapshots end before its head starts is refused rather than read as a shorter one', async () => {
  const ledger = await ledgerWith('gap', [LOST]);
  const [newest = ''] = globSync(`${ledger}/snapshots/*.checkpoint`).sort().slice(-1);
  for (const end of ['.checkpoint', '.ndjson.zst']) rmSync(newest.replace('.checkpoint', end));
  const { status, stderr } = await attest('status', { ledger, attestation: ID });
  expect([status, stderr]).toEqual([1, expect.stringContaining('(ledger_order)')]);
});

describe('a service’s published companions', () => {
  const lost = { ended_at: '2025-12-01T11:00:00Z', reason: 'lost', drift: null, checked_at: null };
  const revoked = REGISTRY.attestations.map((one) => ({
    ...one,
    status: 'revoked' as const,
    ended_at: lost.ended_at,
    reason: 'drift',
  }));

  test.each([
    ['has it', REGISTRY, 'active'],
    ['has revoked it', { ...REGISTRY, attestations: revoked }, 'revoked'],
    [
      'has its revocation alone',
      { ...REGISTRY, attestations: [], unattested: [{ attestation: PUBLISHED_UUID, ...lost }] },
      'revoked',
    ],
    ['does not have it', { ...REGISTRY, attestations: [] }, 'active'],
    ['is later than its end', { ...REGISTRY, timestamp: '2026-03-01T00:00:00Z' }, 'expired'],
  ])('give the verdict of the service: it %s', async (_, registry, status) => {
    const { app } = await attestationApp({}, registry);
    const headers = { 'content-type': 'application/json' };
    const payload = JSON.stringify(PUBLISHED);
    const answer = await app.inject({ method: 'POST', url: '/attestations/verify', headers, payload });
    const { as_of, ...served } = answer.json();
    const flags = {
      file: save('published.json', PUBLISHED),
      companions: save('companions.json', registry),
      json: true as const,
    };
    const told = await attest('verify', flags, PASSPHRASE, () => NOW);
    expect(JSON.parse(told.stdout)).toEqual([{ file: flags.file, ...served }]);
    expect([served.status, told.stderr]).toEqual([status, expect.stringContaining(`as of ${as_of}.`)]);
    const before = await attest('verify', { ...flags, 'as-of': '2025-12-01T10:00:00Z' });
    expect(before).toMatchObject({ status: 2, stderr: expect.stringContaining('--as-of: expected') });
  });
});
