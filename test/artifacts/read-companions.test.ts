import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCompanions, readTrustFile } from '../../pipeline/artifacts/read-companions.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { DEMO_COMPANIONS } from '../attestation/demo-companions.ts';
import { COMPANIONS, UNSIGNED } from '../attestation/signed-document.ts';
import { signer } from '../ledger/test-ledger.ts';
import { rowsOf } from '../rows-of.ts';
import { useFolder } from '../setups/use-folder.ts';

const FOLDER = useFolder();
const SAMPLE = [demoSigner().verifier];
const OTHER = [signer.verifier];

function save(name: string, value: unknown): string {
  const path = join(FOLDER, name);
  writeFileSync(path, typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value));
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

const KEY = COMPANIONS.companions[0]!.keys[0]!;
const companion = (name: string, keys: unknown = [KEY]) => ({ companion: name, keys });
const lost = { ended_at: '2025-12-01T11:00:00Z', reason: 'lost', drift: null, checked_at: null };
const published = (companions: unknown[]) => ({
  timestamp: '2025-12-01T12:00:00Z',
  companions,
  wallets: [],
  attestations: [],
  unattested: [{ attestation: 'a'.repeat(64), ...lost }],
});
const many = (count: number) => Array.from({ length: count }, (_, place) => companion(`C${place}`));
const wallets = Array.from({ length: 10_001 }, () => ({ ledger_id: 'x', address: 'x' }));

const json = (value: unknown) => JSON.stringify(value);
const one = (keys: unknown) => json({ companions: [companion('A', keys)] });
const badKey = { companion: 'A', keys: [{ ...KEY, valid_until: null, public_key: '00'.repeat(32) }] };
const twoOfOne = [UNSIGNED.ledger_id, UNSIGNED.ledger_id.toUpperCase()].map((ledger_id, at) => ({
  ledger_id,
  address: `0x${`${at}`.repeat(40)}`,
}));
const refused = rowsOf<[what: string, text: string, message: string]>(`
half a file | { | /: Not JSON at character 1
an empty file |  | /: Not JSON at character 0: expected a value, found the end. (not_json)
no key | ${one([])} | /companions/0/keys: Expected at least 1 item, found []. (too_few_items)
a key in half a byte | ${one([{ ...KEY, public_key: 'abc' }])} | /companions/0/keys/0/public_key: Expected lower-case hex digits, two per byte, found "abc". (wrong_pattern)
another member | {"companions":[],"wallet":[]} | /wallet: The schema has no member "wallet". (unknown_member)
the same companion twice | ${json({ companions: [companion('A'), companion('A')] })} | /companions: Expected one entry per companion
the same member twice | {"companions":[{"companion":"A","companion":"B","keys":[]}]} | /companions/0/companion: An object has two members of the same name. (duplicate_member)
the same list twice | {"companions":[],"wallets":[],"wallets":[]} | /wallets: An object has two members
no time of its ledger | ${json({ ...published([]), timestamp: '' })} | /timestamp: Expected a date-time in UTC, found "".
a day of its ledger | ${json({ ...published([]), timestamp: 'today' })} | /timestamp: Expected a date-time in UTC, found "today".
a time before all | ${json({ ...published([]), timestamp: '-271821-04-20T00:00:00Z' })} | /timestamp: Expected a date-time in UTC, found "-271821-04-20T00:00:00Z".
__proto__ | {"companions":[],"__proto__":{}} | (forbidden_member)
half a pair | {"companions":[{"companion":"\\ud800","keys":[]}]} | (lone_surrogate)
a byte order mark | \ufeff{"companions":[]} | begins with a byte order mark. (not_utf8)
depth | ${'['.repeat(9)} | /0/0/0/0/0/0/0/0: It is nested more than 8 levels deep. (too_deep)
too many companions | ${json({ companions: many(1001) })} | /companions: Expected at most 1000 items
too many keys | ${one(Array(17).fill(KEY))} | /companions/0/keys: Expected at most 16 items
too many wallets | ${json({ companions: [], wallets })} | /wallets: Expected at most 10000 items
a single companion with a fault | ${json(companion('A', []))} | /keys: Expected at least 1 item, found []. (too_few_items)
a service that publishes a key that is none | ${json(published([badKey]))} | /companions/0/keys/0/public_key: Expected a public key of its algorithm
a key of small order | ${one([{ ...KEY, public_key: `01${'00'.repeat(31)}` }])} | /public_key: Expected a public key of its algorithm, on the curve and of large order, found "01000
a key of another algorithm | ${one([{ ...KEY, algorithm: 'ecdsa-secp256k1' }])} | /public_key: Expected a public key of its algorithm
a key that is not hex | ${one([{ ...KEY, public_key: `${KEY.public_key.slice(2)}0o` }])} | /public_key: Expected lower-case hex digits, two per byte
a key in capitals | ${one([{ ...KEY, public_key: KEY.public_key.toUpperCase() }])} | /public_key: Expected lower-case hex digits, two per byte
an end before the beginning | ${one([{ ...KEY, valid_until: '2025-07-03T00:00:00Z' }])} | /valid_until: Expected an end after valid_from, found "2025-07-03T00:00:00Z". (wrong_value)
another member of a key | ${one([{ ...KEY, valid_to: '2026-07-03T00:00:00Z' }])} | /companions/0/keys/0/valid_to: The schema has no member "valid_to". (unknown_member)
a wallet without an address | ${json({ companions: [], wallets: [{ ledger_id: UNSIGNED.ledger_id, address: '0x' }] })} | /wallets/0/address: Expected 0x and 40 hex digits, found "0x". (wrong_pattern)
two wallets of one ledger id | ${json({ companions: [], wallets: twoOfOne })} | /wallets: Expected one wallet per ledger id
a service with another member | ${json({ ...published([]), more: 1 })} | /more: The schema has no member`);

test.each<[string, string | Buffer, string]>([
  ...refused,
  ['UTF-16', Buffer.from('{"companions":[]}', 'utf16le'), 'Not JSON at character 1'],
])('a file of %s is refused, with its place and what was found', async (_, value, message) => {
  await expect(readCompanions(save('wrong.json', value), OTHER)).rejects.toMatchObject({
    code: 'config_invalid',
    place: join(FOLDER, 'wrong.json'),
    message: expect.stringContaining(message),
  });
});

test('as many companions as may be are read', async () => {
  const path = save('many.json', { companions: many(1000) });
  expect((await readCompanions(path, OTHER)).companions).toHaveLength(1000);
});

test('what keygen prints, and what a service publishes, say who attests', async () => {
  const [first] = COMPANIONS.companions;
  const one = { companions: [first], wallets: [] };
  expect(await readTrustFile(save('entry.json', first))).toEqual({ companions: one, registry: null });
  const ended = { companion: first!.companion, keys: [{ ...KEY, valid_until: KEY.valid_until ?? null }] };
  const { companions, registry } = await readTrustFile(save('published.json', published([ended])));
  expect(companions).toEqual(one);
  expect(registry!.unattested('a'.repeat(64))).toMatchObject([{ reason: 'lost' }]);
});

test.each([
  ['a folder', FOLDER, 'found a folder (EISDIR)'],
  ['a file that is not there', join(FOLDER, 'nothing.json'), 'found no such file or folder (ENOENT)'],
  ['a file without end', '/dev/zero', 'It has more than 67108864 bytes.'],
])('%s is refused', async (_, path, message) => {
  await expect(readCompanions(path, OTHER)).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining(message),
  });
});
