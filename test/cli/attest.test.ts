import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { attestationUuid } from '../../pipeline/attestation/canonical-bytes.ts';
import { demoWalletAddress, signWithDemoWallet } from '../../pipeline/attestation/demo-companions.ts';
import type { LedgerEvent } from '../../pipeline/ledger/event.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { openKey, parseKeyFile } from '../../src/commands/attest/key-file.ts';
import { askNewPassphrase } from '../../src/commands/attest/passphrase.ts';
import { readLedgerEvents } from '../attestation/ledger-events.ts';
import { JUSTIFICATION, NOW, signed, UNSIGNED } from '../attestation/signed-document.ts';
import { openAttestCli, PASSPHRASE } from './attest-cli.ts';

const { inFolder, save, attest, verifyText } = openAttestCli();

const WALLET = demoWalletAddress(UNSIGNED.ledger_id);

/** The first steps of a companion's operator: a key, and its registration. */
async function register(companion: string, algorithm: string) {
  const key = inFolder(`${companion}.key`);
  const { status, stdout } = await attest('keygen', { companion, algorithm, 'key-file': key, json: true });
  expect(status).toBe(0);
  const entry = JSON.parse(stdout);
  // Valid since an earlier time, so that the test need not wait for the next second.
  entry.keys[0].valid_from = '2025-07-03T00:00:00Z';
  const wallets = [{ ledger_id: UNSIGNED.ledger_id, address: WALLET }];
  return { key, companions: save(`${companion}.json`, { companions: [entry], wallets }) };
}

describe.each(['ed25519', 'ecdsa-secp256k1'])('with a key for %s', (algorithm) => {
  test('a document is drafted, signed and verified as the guide says', async () => {
    const { key, companions } = await register(`LANTERN-${algorithm}`, algorithm);
    expect(statSync(key).mode & 0o777).toBe(0o600);
    const request = {
      companion: `LANTERN-${algorithm}`,
      algorithm,
      'ledger-id': UNSIGNED.ledger_id,
      scope: 'ledger.read.export, audit.trail.annotate',
      risk: 'low',
      justification: save('justification.json', JUSTIFICATION),
      'attestation-days': '89',
    };
    // The owner of the wallet takes an hour.
    const drafted = await attest('new', request, {}, () => Date.now() - 3_600_000);
    expect(drafted).toMatchObject({ status: 0, stderr: expect.stringContaining('the wallet has to sign') });
    const draft = JSON.parse(drafted.stdout);
    expect(draft).toMatchObject({
      scope: UNSIGNED.scope,
      epicon_ej: JUSTIFICATION,
      signature_algorithm: algorithm,
    });
    const wallet = { 'wallet-signature': signWithDemoWallet(draft), companions };
    const { 'attestation-days': _, ...claim } = request;
    for (const flags of [
      { draft: save('draft.json', draft) },
      { ...claim, 'expires-at': draft.expires_at },
    ]) {
      const complete = await attest('new', { ...flags, ...wallet });
      expect(complete).toMatchObject({
        status: 0,
        stderr: expect.stringContaining(`The wallet ${WALLET} has`),
      });
      save('complete.json', complete.stdout);
    }
    const sealed = await attest('sign', { file: inFolder('complete.json'), 'key-file': key, companions });
    expect(sealed).toMatchObject({ status: 0, stderr: '' });
    const told = await verifyText(sealed.stdout, { companions });
    expect(told).toMatchObject({ status: 0, stderr: '' });
    expect(told.stdout).toMatch(/^-: VALID \(active\)\n {2}Valid by itself: .* no ledger was consulted/);
    const broken = await verifyText(sealed.stdout.replace('"low"', '"high"'), { companions, json: true });
    expect(broken.status).toBe(1);
    expect(JSON.parse(broken.stdout)).toMatchObject([
      {
        file: '-',
        valid: false,
        status: 'invalid',
        problems: [{ code: 'signature_invalid', pointer: '/signature' }],
      },
    ]);
  });
});

describe('attest keygen', () => {
  test('never overwrites a file', async () => {
    const key = save('there.key', 'precious');
    const { status, stderr } = await attest('keygen', { companion: 'LANTERN', 'key-file': key });
    expect([status, stderr]).toEqual([1, expect.stringContaining('EEXIST (attestation_refused)')]);
    expect(readFileSync(key, 'utf8')).toBe('precious');
  });

  test.each([
    ['a file', 'precious.key', 'EEXIST'],
    ['a link to nothing', 'dangling.key', 'EEXIST'],
    ['a place below a file', 'precious.key/a.key', 'ENOTDIR'],
  ])('notices %s before it asks for a passphrase', async (_, name, code) => {
    save('precious.key', 'precious');
    rmSync(inFolder('dangling.key'), { force: true });
    symlinkSync(inFolder('nothing'), inFolder('dangling.key'));
    const { status, stderr } = await attest(
      'keygen',
      { companion: 'LANTERN', 'key-file': inFolder(name) },
      {},
    );
    const message = `${inFolder(name)}: expected a place for a new file, found ${code} (attestation_refused)`;
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(existsSync(inFolder('nothing'))).toBe(false);
  });

  test('makes one complete key, for its owner only, if two are requested at once', async () => {
    const key = inFolder('raced.key');
    const both = await Promise.all(
      ['LANTERN', 'TALLY'].map((companion) => attest('keygen', { companion, 'key-file': key, json: true })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([0, 1]);
    const [entry] = both.filter(({ status }) => status === 0).map(({ stdout }) => JSON.parse(stdout));
    expect(JSON.parse(readFileSync(key, 'utf8'))).toMatchObject({
      companion: entry.companion,
      public_key: entry.keys[0].public_key,
    });
    expect(statSync(key).mode & 0o777).toBe(0o600);
  });

  test.each([
    [{ companion: 'LANTERN' }, PASSPHRASE, 2, '--key-file: expected a file'],
    [
      { companion: 'LANTERN', 'key-file': 'a.key', algorithm: 'rsa' },
      PASSPHRASE,
      2,
      '--algorithm: expected ed25519 or ecdsa-secp256k1',
    ],
    [
      { companion: 'LANTERN', 'key-file': 'a.key' },
      { CATHEDRAL_PASSPHRASE: 'short' },
      1,
      'passphrase: expected at least 12 characters',
    ],
    [
      { companion: 'LANTERN', 'key-file': 'a.key', passphrase: 'on the command line' },
      PASSPHRASE,
      2,
      '--passphrase: expected',
    ],
  ])('refuses %j', async (flags, env, status, message) => {
    const finished = await attest('keygen', flags, env);
    expect(finished).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(message) });
  });
});

describe('a secret file', () => {
  test.each(['key-file', 'passphrase-file'])('that others may read is refused: --%s', async (flag) => {
    const file = save('open-to-all', '{}');
    chmodSync(file, 0o644);
    const key = { 'key-file': save('closed.key', '{}'), [flag]: file };
    chmodSync(inFolder('closed.key'), 0o600);
    const command = flag === 'key-file' ? 'sign' : 'keygen';
    const flags =
      command === 'sign' ? key : { ...key, 'key-file': inFolder('none.key'), companion: 'LANTERN' };
    const { status, stderr } = await attest(command, { ...flags }, {});
    const message = `${file}: expected a file that only its owner can read: chmod 600, found mode 0644`;
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(existsSync(inFolder('none.key'))).toBe(false);
  });

  test('contains the passphrase in its first line, and overrides the variable', async () => {
    const file = save('passphrase', 'correct horse battery\nand more\n');
    chmodSync(file, 0o600);
    const secret = { 'passphrase-file': file };
    const key = inFolder('by-file.key');
    const made = await attest(
      'keygen',
      { companion: 'LANTERN', 'key-file': key, ...secret },
      { CATHEDRAL_PASSPHRASE: 'another one of them' },
    );
    expect(made.status).toBe(0);
    const sealed = parseKeyFile(readFileSync(key, 'utf8'), key);
    expect(openKey(sealed, 'correct horse battery', key).companion).toBe('LANTERN');
    chmodSync(save('passphrase', '\ncorrect horse battery'), 0o600);
    const empty = await attest('keygen', { companion: 'LANTERN', 'key-file': inFolder('no.key'), ...secret });
    expect(empty).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('a passphrase in the first line'),
    });
  });

  test('is not asked for twice if the first passphrase is too short', async () => {
    const asked: string[] = [];
    const typing = (answers: string[]) => async (question: string) => {
      asked.push(question);
      return answers.shift()!;
    };
    await expect(askNewPassphrase(typing(['elevenchars']))).rejects.toMatchObject({ found: 'fewer' });
    expect(asked).toHaveLength(1);
    await expect(askNewPassphrase(typing(['twelve chars', 'twelve chars!']))).rejects.toMatchObject({
      found: 'two different ones',
    });
    expect(await askNewPassphrase(typing(['twelve chars', 'twelve chars']))).toBe('twelve chars');
  });
});

describe('attest new', () => {
  const make = (flags: Record<string, string | true>) => attest('new', flags, {}, () => NOW);

  test('reports everything that a draft lacks or has wrong, with its flag and place', async () => {
    const draft = save('empty.json', {});
    const { status, stdout, stderr } = await make({ draft, scope: 'Ledger', risk: 'some' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.match(/^\S+ \(\S+\)(?=: )|\(\w+\)$/gm)!.join(' ')).toBe(
      '--ledger-id (/ledger_id) (missing_member) --justification (/epicon_ej_hash) (missing_member) --scope (/scope/0) (wrong_pattern) --risk (/risk_level) (wrong_value) --companion (/attested_by) (missing_member)',
    );
  });

  const END = { 'expires-at': '2026-01-31T06:00:00Z' };
  test.each([
    [
      { 'wallet-signature': UNSIGNED.wallet_signature, draft: 'empty' },
      '--wallet-signature: expected the expiry time that the wallet signed',
    ],
    [
      { 'wallet-signature': UNSIGNED.wallet_signature, draft: 'signed', 'attestation-days': '30' },
      '--wallet-signature: expected the expiry time',
    ],
    [
      { 'attestation-days': '30', draft: 'empty', ...END },
      '--attestation-days: expected not to be used with --expires-at',
    ],
  ])(
    'refuses %j: no wallet can have signed it',
    async ({ draft, ...flags }: Record<string, string | true>, message) => {
      const given = { ...flags, draft: save('given.json', draft === 'signed' ? signed() : {}) };
      expect(await make(given)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining(message),
      });
    },
  );

  test('says which wallet signed, and refuses a malformed signature and one of a different wallet', async () => {
    const draft = save('signed-by-wallet.json', signed());
    const own = { 'wallet-signature': signWithDemoWallet(UNSIGNED), draft };
    expect(await make(own)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`is by ${WALLET}.`),
    });
    const none = await make({ ...own, 'wallet-signature': '0xabcdef' });
    expect(none).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('(wallet_signature_malformed)'),
    });
    const wallets = [{ ledger_id: UNSIGNED.ledger_id, address: WALLET }];
    const companions = save('with-wallet.json', { companions: [], wallets });
    const other = await make({ draft, companions });
    expect(other).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`ledger id is ${WALLET}; the signature is by 0x`),
    });
    expect(await make({ ...own, companions })).toMatchObject({ status: 0 });
  });

  test('prints what the wallet has to sign, until it has', async () => {
    const { signature: _, wallet_signature: __, ...draft } = signed();
    const { status, stdout, stderr } = await make({
      draft: save('unsigned.json', draft),
      'hash-only': true,
      'drift-threshold': '0.05',
    });
    expect(status).toBe(0);
    const document = JSON.parse(stdout);
    expect(document).not.toHaveProperty('epicon_ej');
    expect(document).toMatchObject({
      epicon_ej_hash: UNSIGNED.epicon_ej_hash,
      expires_at: UNSIGNED.expires_at,
      drift_monitoring: { ...UNSIGNED.drift_monitoring, threshold: 0.05 },
    });
    expect(stderr).toContain('Companion Attestation 1.0.0\nledger_id: 0e1d2c3b');
  });

  test('asks for a new wallet signature if that of the draft is over a different request', async () => {
    const draft = save('renewed.json', signed());
    const { status, stdout, stderr } = await make({
      draft,
      'attestation-days': '30',
      previous: UNSIGNED.ledger_id,
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).not.toHaveProperty('wallet_signature');
    expect(stderr).toContain(`expires_at: ${JSON.parse(stdout).expires_at}`);
  });

  test('takes from the draft what no flag overrides, and drops its signature', async () => {
    const draft = save('earlier.json', signed());
    const { stdout } = await make({
      draft,
      risk: 'high',
      'without-drift-monitoring': true,
      previous: UNSIGNED.ledger_id,
    });
    const { signature: _, attested_at: __, ...rest } = signed();
    const metadata = { ...UNSIGNED.metadata, previous_attestation: UNSIGNED.ledger_id };
    const drift_monitoring = { ...UNSIGNED.drift_monitoring, enabled: false };
    expect(JSON.parse(stdout)).toEqual({
      ...rest,
      risk_level: 'high',
      metadata,
      drift_monitoring,
      attested_at: expect.any(String),
    });
  });
});

describe('with a ledger', () => {
  const ledger = inFolder('ledger');
  const sample = { ledger };
  let events: LedgerEvent[] = [];
  beforeAll(async () => {
    await writeSample({ out: ledger, from: '2025-07-03', to: Date.parse('2025-07-20T00:00:00Z') });
    events = await readLedgerEvents(ledger);
  });
  const idOf = (type: string) => events.findLast((event) => event.type === type)!.data.attestation as string;

  test('attest status prints what it has about an attestation, as of any time', async () => {
    const id = idOf('companion_attested');
    const { status, stdout } = await attest('status', {
      ...sample,
      attestation: id,
      'as-of': '2025-07-20T00:00:00Z',
      json: true,
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      id,
      uuid: attestationUuid(id),
      status: 'active',
      companion: expect.any(String),
    });
    const later = await attest('status', {
      ...sample,
      attestation: attestationUuid(id).toUpperCase(),
      'as-of': '2026-01-01T00:00:00Z',
    });
    expect(later).toMatchObject({ status: 1, stdout: expect.stringMatching(/^status +expired$/m) });
    const before = await attest('status', { ...sample, attestation: id, 'as-of': '2025-07-03T00:00:00Z' });
    expect(before).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        '--attestation: expected the id or UUID of an attestation in the ledger',
      ),
    });
  });

  test('attest revoke appends an event, which status reports and which is final', async () => {
    const id = idOf('companion_attested');
    const at = '2025-07-20T01:00:00Z';
    const revoked = await attest('revoke', {
      ...sample,
      attestation: id,
      reason: 'The key was lost.',
      'revoked-at': at,
      json: true,
    });
    expect(revoked).toMatchObject({ status: 0, stderr: '' });
    const event = JSON.parse(revoked.stdout);
    expect(event).toMatchObject({
      type: 'companion_revoked',
      seq: events.length,
      data: { attestation: id, reason: 'The key was lost.' },
    });
    const { status, stdout } = await attest('status', { ...sample, attestation: id, json: true });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'revoked',
      ended_at: event.timestamp,
      reason: 'The key was lost.',
    });
    const again = await attest('revoke', { ...sample, attestation: attestationUuid(id), reason: 'Again.' });
    expect(again).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('found one that was revoked at'),
    });
  });

  test.each([
    [{ attestation: 'a'.repeat(64), reason: 'none' }, 1, '--attestation: expected the id or UUID'],
    [{ reason: 'none' }, 2, 'ATTESTATION: expected the id of an attestation'],
    [{ attestation: 'a'.repeat(64), reason: 'two\nlines' }, 2, '--reason: expected one line'],
    [
      { attestation: 'a'.repeat(64), reason: 'none', ledger: 'civic+https://ledger.example.org' },
      2,
      '--ledger: expected a ledger in a folder',
    ],
  ])('attest revoke refuses %j', async (flags, status, message) => {
    expect(await attest('revoke', { ...sample, ...flags })).toMatchObject({
      status,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  test('attest verify trusts the companions of a demo ledger in that ledger, and says that they prove nothing', async () => {
    const { data } = events.findLast((event) => event.type === 'companion_attested')!;
    const file = save('taken.json', data.document);
    const told = await attest('verify', { ledger, file, 'as-of': '2025-07-20T00:00:00Z' });
    expect(told).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('its signature proves nothing'),
    });
  });

  test('attest verify warns of a document that it does not have', async () => {
    const { stdout } = await attest('verify', {
      ledger,
      file: save('unknown.json', signed()),
      json: true,
      'as-of': '2025-12-02T00:00:00Z',
    });
    expect(JSON.parse(stdout)).toMatchObject([{ warnings: [{ code: 'not_registered' }] }]);
  });
});
