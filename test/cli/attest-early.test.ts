import { cpSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import type { JsonObject } from '../../pipeline/attestation/read-json.ts';
import { HeadWriter } from '../../pipeline/ledger/append-head.ts';
import { openDirectory } from '../../pipeline/ledger/directory.ts';
import type { LedgerEvent } from '../../pipeline/ledger/event.ts';
import { demoSigner } from '../../pipeline/sample/demo-key.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { readLedger } from '../../src/commands/attestation/read-ledger.ts';
import { UNSIGNED } from '../attestation/signed-document.ts';
import { openAttestCli } from './attest-cli.ts';

const { inFolder, attest } = openAttestCli();
const AT = '2025-07-04T00:00:00Z';
const ID = 'c'.repeat(64);
const UUID = attestationUuid(ID);
const LOST = { type: 'companion_revoked', attestation: ID, reason: 'The key was lost.' };

/** A sample ledger of a day, with more events at its end. */
async function ledgerWith(name: string, added: ({ type: string; timestamp?: string } & JsonObject)[]) {
  const ledger = inFolder(name);
  cpSync(inFolder('sample'), ledger, { recursive: true });
  const { sealed, last } = await readLedger({ ledger, verifiers: [demoSigner().verifier] }, 0);
  const head = await HeadWriter.open(openDirectory(ledger), sealed, { durable: false });
  for (const { type, timestamp = AT, ...data } of added) {
    const envelope = { seq: head.position.size, timestamp, cycle: last!.cycle, type, agent: 'WITNESS', data };
    head.append({ ...envelope, salt: 'A'.repeat(22) } as LedgerEvent);
  }
  head.close();
  return ledger;
}

describe('an attestation that was revoked before it was attested', () => {
  beforeAll(() => writeSample({ out: inFolder('sample'), from: '2025-07-03', to: Date.parse(AT) }));

  test.each([
    ['its id', ID],
    ['its UUID', UUID],
  ])('by %s, is told to be, with when, by whom and why', async (_, attestation) => {
    const ledger = await ledgerWith(attestation, [{ ...LOST, attestation }]);
    for (const asked of [ID, UUID.toUpperCase()]) {
      const { status, stdout } = await attest('status', { ledger, id: asked, json: true });
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
    const told = await attest('status', { ledger, id: ID });
    expect(told.stdout).toMatch(
      /^note +It was revoked before it was attested: the ledger does not have it yet\.$/m,
    );
    const again = await attest('revoke', { ledger, id: ID, reason: 'Again.' });
    const found = `found one that was revoked at ${AT} by WITNESS, before it was attested: ${LOST.reason}`;
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining(found) });
  });

  test('is told to be after it was attested, too', async () => {
    const { ledger_id, scope, risk_level } = UNSIGNED;
    const data = { attestation: ID, companion: 'LANTERN', ledger_id, scope, risk_level };
    const attested = { type: 'companion_attested', ...data, expires_at: '2025-08-01T00:00:00Z' };
    const ledger = await ledgerWith('both', [LOST, { ...attested, timestamp: '2025-07-04T00:00:01Z' }]);
    const { status, stdout } = await attest('status', { ledger, id: ID });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^status +revoked$/m);
    expect(stdout).toMatch(/^ended_by +WITNESS$/m);
    expect(stdout).toMatch(/^note +It was revoked before it was attested\.$/m);
  });

  test('is no attestation where there is but a drift score, which is told', async () => {
    const ledger = await ledgerWith('scored', [{ type: 'companion_drift', attestation: ID, score: 0.5 }]);
    const { status, stderr } = await attest('status', { ledger, id: UUID });
    const found = 'of which it has no more than a drift score of 0.5 (attestation_refused)';
    expect([status, stderr]).toEqual([1, expect.stringContaining(found)]);
  });
});
