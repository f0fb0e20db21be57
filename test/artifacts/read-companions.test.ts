import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readCompanions } from '../../pipeline/artifacts/read-companions.ts';
import { demoSigner } from '../../pipeline/sample/demo-key.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';
import { COMPANIONS } from '../attestation/signed-document.ts';
import { signer } from '../ledger/test-ledger.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'cathedral-companions-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
const SAMPLE = [demoSigner().verifier];
const OTHER = [signer.verifier];

function save(name: string, value: unknown): string {
  const path = join(FOLDER, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

test('without a file, those of the sample attest in its ledger, and in another one nobody', async () => {
  expect(await readCompanions(null, SAMPLE)).toEqual(DEMO_COMPANIONS);
  expect(await readCompanions(null, OTHER)).toEqual({ companions: [], wallets: [] });
  expect(await readCompanions(null, [])).toEqual({ companions: [], wallets: [] });
});

test('a file says who attests', async () => {
  const path = save('own.json', COMPANIONS);
  expect(await readCompanions(path, OTHER)).toEqual(COMPANIONS);
  expect(await readCompanions(path, SAMPLE)).toEqual(COMPANIONS);
});

test('a key of the sample under any name is refused for another ledger', async () => {
  const [first] = DEMO_COMPANIONS.companions;
  const renamed = { companions: [...COMPANIONS.companions, { ...first!, companion: 'MINE' }] };
  const path = save('renamed.json', renamed);
  await expect(readCompanions(path, OTHER)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('found MINE: a key of the sample'),
  });
  expect((await readCompanions(path, [...OTHER, ...SAMPLE])).companions).toHaveLength(3);
});

test.each([
  ['{', 'expected JSON'],
  [{ companions: [{ companion: 'A', keys: [] }] }, 'companions.0.keys'],
  [
    {
      companions: [
        {
          companion: 'A',
          keys: [{ algorithm: 'ed25519', public_key: 'abc', valid_from: '2025-07-03T00:00:00Z' }],
        },
      ],
    },
    'companions.0.keys.0.public_key: hex digits in lower case',
  ],
])('a file that is none is refused with its place: %j', async (value, message) => {
  await expect(readCompanions(save('wrong.json', value), OTHER)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(message),
  });
});
