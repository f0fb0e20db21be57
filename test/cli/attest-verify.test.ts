import { describe, expect, test } from 'vitest';
import { formatDemoCompanions } from '../../pipeline/attestation/demo-companions.ts';
import { publicKeyHex, type SigningKey } from '../../pipeline/attestation/sign-attestation.ts';
import { COMPANIONS, keyOf, signed } from '../attestation/signed-document.ts';
import { openAttestCli } from './attest-cli.ts';
import { RunningCli } from './run-cli.ts';

const { inFolder, save, attest, verifyText } = openAttestCli();
const keyFor = ({ algorithm, secretKey }: SigningKey) => ({
  algorithm,
  public_key: publicKeyHex(algorithm, secretKey),
  valid_from: '2025-07-03T00:00:00Z',
});

describe('attest verify', () => {
  const at = '2025-12-02T00:00:00Z';
  const own = save('own.json', COMPANIONS);
  const others = {
    companions: [{ ...COMPANIONS.companions[0]!, keys: [keyFor(keyOf('another', 'ed25519'))] }],
  };

  test('verifies many files, and exits with 1 if one is not valid', async () => {
    save('many-1.json', signed());
    save('many-2.json', '{"version":');
    const { status, stdout } = await attest('verify', {
      file: `${inFolder('many-*.json')},${inFolder('many-1.json')}`,
      companions: save('others.json', others),
      'as-of': at,
      json: true,
    });
    expect(status).toBe(1);
    expect(
      JSON.parse(stdout).map(({ file, problems }: { file: string; problems: object[] }) => [file, problems]),
    ).toEqual([
      [inFolder('many-1.json'), [expect.objectContaining({ code: 'signature_invalid' })]],
      [inFolder('many-2.json'), [expect.objectContaining({ code: 'not_json', pointer: '/version' })]],
    ]);
  });

  test('continues after a file that cannot be read, and exits with 2 in the end', async () => {
    const file = `${save('good.json', signed())},${inFolder('gone.json')},${save('bad.json', '{}')}`;
    const told = await attest('verify', { file, companions: own, 'as-of': at });
    expect(told).toMatchObject({ status: 2, stderr: expect.stringMatching(/gone\.json: .* found ENOENT/) });
    expect(told.stdout).toContain(`${inFolder('good.json')}: VALID (active)`);
    expect(told.stdout).toContain(`${inFolder('bad.json')}: NOT VALID (invalid)`);
    const { status, stdout } = await attest('verify', { file, companions: own, 'as-of': at, json: true });
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject([
      { file: inFolder('good.json'), valid: true },
      { file: inFolder('gone.json'), valid: false, error: expect.stringContaining('ENOENT') },
      { file: inFolder('bad.json'), valid: false, status: 'invalid' },
    ]);
  });

  test('does not exit with 0 if its verdict could not be printed', async () => {
    const args = [`--file=${save('unsaid.json', '{}')}`, `--companions=${own}`];
    const running = new RunningCli(['attest', 'verify', ...args]);
    running.child.stdout!.destroy();
    expect((await running.finished()).status).toBe(141);
  });

  test('takes the name of a file literally, with commas, brackets and stars', async () => {
    const files = ['minutes, march.json', 'one[1].json', 'all*.json'].map((name) => save(name, signed()));
    for (const file of files)
      expect(await attest('verify', { file, companions: own, 'as-of': at })).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(`${file}: VALID`),
      });
    const list = `${inFolder('minutes? march.json')},${files[1]}`;
    const { stdout } = await attest('verify', { file: list, companions: own, 'as-of': at, json: true });
    expect(JSON.parse(stdout).map((verdict: { file: string }) => verdict.file)).toEqual(files.slice(0, 2));
  });

  test('trusts only the companions it is given', async () => {
    const file = save('told.json', signed());
    expect(await attest('verify', { file, 'as-of': at })).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('--companions: expected a JSON file of companions'),
    });
  });

  test('says so if the keys are public', async () => {
    const companions = save('sample.json', formatDemoCompanions());
    const told = await attest('verify', { file: save('any.json', signed()), companions, 'as-of': at });
    expect(told.stderr).toContain('Its secret half is public, so its signature proves nothing.');
  });

  test.each([
    [{ file: 'missing-*.json' }, 2, '--file: expected a pattern that matches files'],
    [{ file: 'a.json', 'as-of': 'yesterday' }, 2, '--as-of: expected a UTC date-time'],
  ])('refuses %j', async (flags, status, message) => {
    expect(await attest('verify', { companions: own, ...flags })).toMatchObject({
      status,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  test('reads no more of its input than a document may contain', async () => {
    const { status, stdout } = await verifyText(' '.repeat(1_000_000), { companions: own });
    expect(status).toBe(1);
    expect(stdout).toContain('too_large');
  });

  test('prints nothing that moves the cursor', async () => {
    const { stdout } = await verifyText(
      JSON.stringify({ ...signed(), attested_by: '\u009b2J\u202e\u001b[2J' }),
      { companions: own, 'as-of': at },
    );
    expect(stdout).toContain('NOT VALID');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not appear
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});
