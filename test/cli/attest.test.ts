import { chmodSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { demoWalletAddress, signWithDemoWallet } from '../../pipeline/attestation/demo-companions.ts';
import { openKey, parseKeyFile } from '../../pipeline/attestation/key-file.ts';
import { askNewPassphrase } from '../../src/commands/passphrase.ts';
import { NOW, signed, UNSIGNED } from '../attestation/signed-document.ts';
import { openAttestCli } from './attest-cli.ts';

const { inFolder, save, attest } = openAttestCli();

const WALLET = demoWalletAddress(UNSIGNED.ledger_id);

describe('a secret file', () => {
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
