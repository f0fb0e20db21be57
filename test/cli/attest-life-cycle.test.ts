import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { demoSigner } from '../../pipeline/ledger/demo-key.ts';
import { LedgerWriter } from '../../pipeline/ledger/ledger-writer.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { JUSTIFICATION, UNSIGNED } from '../attestation/signed-document.ts';
import { build } from '../build/run-build.ts';
import { get, tinyApp } from '../sidecar/tiny-app.ts';
import { openAttestCli, PASSPHRASE } from './attest-cli.ts';
import { runHere } from './run-cli.ts';

const { inFolder, save, attest } = openAttestCli();
const VERIFIERS = [demoSigner().verifier];
const ledger = inFolder('ledger');
const companions = inFolder('companions.json');
const key = inFolder('lantern.key');
let clock = '2025-07-04T01:00:00Z';

/** A command at the current clock, which must succeed; its standard output. */
async function done(name: string, flags: Record<string, string | true>): Promise<string> {
  const { status, stdout, stderr } = await attest(name, flags, PASSPHRASE, () => Date.parse(clock));
  expect(status, stderr).toBe(0);
  return stdout;
}

async function refused(name: string, flags: Record<string, string | true>): Promise<string> {
  const before = readFileSync(join(ledger, 'head.ndjson'), 'utf8');
  const { status, stdout, stderr } = await attest(name, flags, PASSPHRASE, () => Date.parse(clock));
  expect([status, stdout]).toEqual([expect.any(Number), '']);
  expect(status).not.toBe(0);
  expect(readFileSync(join(ledger, 'head.ndjson'), 'utf8')).toBe(before);
  return stderr;
}

/** A signed document, with what `attest verify` says of it. */
async function document(name: string, changes: Record<string, string | true> = {}) {
  const draft = await done('new', {
    companion: 'LANTERN',
    'ledger-id': UNSIGNED.ledger_id,
    scope: 'ledger.read.export',
    risk: 'low',
    justification: save('justification.json', JUSTIFICATION),
    'wallet-signature': UNSIGNED.wallet_signature,
    'expires-at': '2025-09-01T02:00:00+02:00',
    ...changes,
  });
  const signed = await done('sign', { 'key-file': key, file: save(`${name}-draft.json`, draft) });
  const file = save(`${name}.json`, signed);
  const [verdict] = JSON.parse(await done('verify', { file, companions, ledger, json: true }));
  return { file, id: verdict.id as string, uuid: verdict.uuid as string, summary: verdict.summary as string };
}

const status = async (id: string) => {
  const { stdout } = await attest('status', { ledger, attestation: id, json: true }, PASSPHRASE, () =>
    Date.parse(clock),
  );
  return JSON.parse(stdout);
};

beforeAll(async () => {
  await writeSample({ out: ledger, from: '2025-07-03', to: '2025-07-04' });
  writeFileSync(join(ledger, 'head.ndjson'), '');
  const entry = await attest('keygen', { companion: 'LANTERN', 'key-file': key }, PASSPHRASE, () =>
    Date.parse('2025-07-04T00:30:00Z'),
  );
  writeFileSync(companions, entry.stdout);
});

test('an attestation goes from its key to its end by commands alone, and HTTP says what the commands say', async () => {
  const first = await document('first', { 'check-interval': 'PT6H' });
  expect(first.summary).toMatch(/^Valid, but not registered/);
  const registering = { ledger, companions, file: first.file };
  expect(await done('register', { ...registering, 'dry-run': true })).toContain('would be registered as of');
  expect(readFileSync(join(ledger, 'head.ndjson'), 'utf8')).toBe('');
  const registered = JSON.parse(await done('register', { ...registering, json: true }));
  expect(registered).toMatchObject({
    type: 'companion_attested',
    timestamp: clock,
    cycle: 'C-1',
    agent: 'LANTERN',
    data: {
      attestation: first.id,
      companion: 'LANTERN',
      ledger_id: UNSIGNED.ledger_id,
      scope: ['ledger.read.export'],
      risk_level: 'low',
      expires_at: '2025-09-01T00:00:00Z',
      drift_threshold: 0.1,
      check_interval: 'PT6H',
      document: JSON.parse(readFileSync(first.file, 'utf8')),
    },
  });
  expect(registered.data).not.toHaveProperty('previous_attestation');
  expect(await refused('register', registering)).toContain(
    'an attestation that is not registered yet, found',
  );
  const [verdict] = JSON.parse(await done('verify', { file: first.file, companions, ledger, json: true }));
  expect(verdict).toMatchObject({ valid: true, warnings: [], summary: 'Valid: you may rely on it now.' });
  expect(await status(first.id)).toMatchObject({ status: 'active', drift: null });

  clock = '2025-07-04T02:00:00Z';
  const below = await done('drift', { ledger, attestation: first.uuid, score: '0.03', agent: 'WITNESS' });
  expect(below).toMatch(
    /^A drift score of 0\.03 is recorded as of .*\. It is below the threshold of 0\.1\.\n$/,
  );
  expect(await status(first.id)).toMatchObject({ status: 'active', drift: 0.03, checked_at: clock });

  const renewal = await document('renewal', { previous: first.uuid, 'without-drift-monitoring': true });
  await done('register', { ledger, companions, file: renewal.file, 'without-document': true });
  expect(await status(first.id)).toMatchObject({ status: 'superseded', superseded_by: renewal.id });
  const unmonitored = await done('drift', { ledger, attestation: renewal.id, score: '1' });
  expect(unmonitored).toContain('drift is not monitored, so it has no effect.');
  expect(await refused('drift', { ledger, attestation: first.id, score: '0.5' })).toContain(
    `an active attestation, found one that is superseded since ${clock}`,
  );

  const drifted = await document('drifted');
  await done('register', { ledger, companions, file: drifted.file });
  const drifting = { ledger, attestation: drifted.id, score: '0.1' };
  expect(await done('drift', { ...drifting, 'dry-run': true })).toContain('would be recorded');
  expect(await status(drifted.id)).toMatchObject({ status: 'active' });
  expect(await done('drift', drifting)).toContain('which revokes the attestation for good.');
  expect(await status(drifted.id)).toMatchObject({ status: 'revoked', drift: 0.1 });
  expect(await refused('register', { ledger, companions, file: drifted.file })).toContain('(revoked)');

  const lost = await document('lost', { risk: 'medium' });
  await done('register', { ledger, companions, file: lost.file });
  const revoking = { ledger, attestation: lost.uuid, reason: 'The key was lost.' };
  expect(await done('revoke', { ...revoking, 'dry-run': true })).toContain('would be revoked');
  await done('revoke', revoking);
  expect(await refused('revoke', revoking)).toContain('an attestation that is not revoked');

  clock = '2025-07-04T06:10:00Z';
  await seal();
  const shown = await runHere('ledger show', [ledger, '--from=2025-07-04T01:00:00Z', '--raw']);
  expect(
    shown.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type),
  ).toEqual([
    'companion_attested',
    'companion_drift',
    'companion_attested',
    'companion_drift',
    'companion_attested',
    'companion_drift',
    'companion_attested',
    'companion_revoked',
  ]);
  const checked = await runHere('ledger check', [ledger, '--strict'], { now: () => Date.parse(clock) });
  expect(checked).toMatchObject({ status: 0 });

  const out = inFolder('out');
  const quiet = { site: false, print: null, rebuild: false, waitMs: 0, log: () => {} } as const;
  await build({
    ...quiet,
    ledger,
    out,
    companions,
    verifiers: VERIFIERS,
    documents: 'data/documents',
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service/test',
  });
  const { app } = await tinyApp(out, { services: { now: () => Date.parse(clock) } });
  for (const { file, id, uuid } of [first, renewal, drifted, lost]) {
    const { ended_by: _, ...told } = await status(id);
    const { as_of, ...answered } = (await get(app, `/attestations/${uuid}/status`)).json();
    expect(answered).toEqual(told);
    const posted = await app.inject({
      method: 'POST',
      url: '/attestations/verify',
      headers: { 'content-type': 'application/json' },
      payload: readFileSync(file, 'utf8'),
    });
    expect(posted.json()).toMatchObject({ status: told.status, as_of });
  }
});

async function seal() {
  const holder = 'test';
  const options = { verifiers: VERIFIERS, now: () => Date.parse(clock), waitMs: 0, holder };
  const writer = await LedgerWriter.open(ledger, options);
  await writer.seal([demoSigner()]);
  writer.close();
}

describe('attest register and attest drift refuse', () => {
  test('what would not verify, what is not known, and scores that are none', async () => {
    clock = '2025-07-04T06:20:00Z';
    writeFileSync(join(ledger, 'head.ndjson'), '');
    const { file } = await document('refused');
    const changed = save('changed.json', readFileSync(file, 'utf8').replace('"low"', '"high"'));
    expect(await refused('register', { ledger, companions, file: changed })).toContain('(signature_invalid)');
    const other = save('other.json', { companions: [], wallets: [] });
    expect(await refused('register', { ledger, companions: other, file })).toContain(
      '--companions: expected',
    );
    expect(await refused('drift', { ledger, attestation: 'a'.repeat(64), score: '0.1' })).toContain(
      '--attestation: expected the id or UUID of an attestation in the ledger',
    );
    for (const score of ['1.01', '-0.1', 'NaN', '0,5'])
      expect(await refused('drift', { ledger, attestation: 'a'.repeat(64), score })).toContain(
        '(config_invalid)',
      );
  });

  test('a ledger that is imported, and a clock that is more than a day ahead of the ledger', async () => {
    const { file } = await document('late');
    expect(await refused('register', { ledger: 'civic+https://example.org', companions, file })).toContain(
      '--ledger: expected a ledger in a folder, found https://example.org',
    );
    const database = 'postgres://reader:secret@example.org/books?table=events';
    const told = await refused('register', { ledger: database, companions, file });
    expect(told).toContain('--ledger: expected a ledger in a folder, found postgres://reader');
    expect(told).not.toContain('secret');
    clock = '2025-07-06T00:00:00Z';
    expect(await refused('register', { ledger, companions, file })).toContain(
      '--registered-at: expected a time, because the clock is more than a day ahead of the last event',
    );
    writeFileSync(join(ledger, 'civic-import.db'), '');
    clock = '2025-07-04T06:30:00Z';
    expect(await refused('register', { ledger, companions, file })).toContain(
      'which is imported from a remote',
    );
  });
});
