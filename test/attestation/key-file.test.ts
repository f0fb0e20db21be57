import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assertFree, makeKey, openKey, parseKeyFile, sealKey } from '../../pipeline/attestation/key-file.ts';
import { faultOf } from '../fault-of.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';
import { LANTERN } from './signed-document.ts';

const PASSPHRASE = 'caf\u00e9 au lait, s.v.p.';
/** To seal and to open a key takes a second each, on purpose. */
const SEALED = sealKey(LANTERN, PASSPHRASE);
const refusal = (code: string, found: RegExp) => ({ code, found: expect.stringMatching(found) });

describe('a key file', () => {
  test('returns the key for the passphrase, in any Unicode composition, and for no other one', () => {
    const file = parseKeyFile(SEALED, 'a.key');
    const opened = openKey(file, 'cafe\u0301 au lait, s.v.p.', 'a.key');
    expect({ ...opened, secretKey: Buffer.from(opened.secretKey) }).toEqual(LANTERN);
    expect(faultOf(() => openKey(file, 'cafe au lait, s.v.p.', 'a.key'))).toMatchObject(
      refusal('attestation_refused', /a wrong one/),
    );
  });

  test('does not contain the secret key, and differs each time', () => {
    const file = parseKeyFile(SEALED, 'a.key');
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(SEALED).not.toContain(Buffer.from(LANTERN.secretKey).toString(encoding));
    const again = parseKeyFile(sealKey(LANTERN, PASSPHRASE), 'a.key');
    expect([again.kdf.salt, again.cipher.iv, again.secret_key]).not.toContain(file.kdf.salt);
    expect(again.secret_key).not.toBe(file.secret_key);
  });

  const changed = JSON.parse(SEALED);
  test.each([
    ['companion', { ...changed, companion: 'TALLY' }],
    ['ciphertext', { ...changed, secret_key: Buffer.alloc(32).toString('base64') }],
  ])('with another %s is refused', (_, file) => {
    const parsed = parseKeyFile(JSON.stringify(file), 'a.key');
    expect(faultOf(() => openKey(parsed, PASSPHRASE, 'a.key'))).toMatchObject(
      refusal('attestation_refused', /changed/),
    );
  });

  test.each([
    ['no JSON', 'key'],
    ['another format', JSON.stringify({ ...changed, format: 'cathedral-attestation-key/2' })],
    ['a cost that would exhaust memory', JSON.stringify({ ...changed, kdf: { ...changed.kdf, N: 2 ** 30 } })],
    ['an invalid cost', JSON.stringify({ ...changed, kdf: { ...changed.kdf, N: 2 } })],
    ['a shorter tag', JSON.stringify({ ...changed, tag: Buffer.alloc(4).toString('base64') })],
    ['a member more', JSON.stringify({ ...changed, note: '' })],
  ])('of %s is refused before anything is computed', (_, text) => {
    expect(faultOf(() => parseKeyFile(text, 'a.key'))).toMatchObject(refusal('attestation_refused', /./));
  });

  test('that cannot be written is an error of the disk with its reason, and one that is there already is not', async () => {
    const path = join(await temporaryFolder(), 'a.key');
    const keyAt = (path: string) =>
      makeKey({ path, companion: 'LANTERN', algorithm: 'ed25519', passphrase: PASSPHRASE, now: 0 });
    await writeFile(path, SEALED);
    expect(await failureOf(() => keyAt(path))).toMatchObject(refusal('attestation_refused', /EEXIST/));
    const below = join(path, 'another.key');
    expect(await failureOf(() => assertFree(below))).toMatchObject(
      refusal('publish_failed', /EEXIST|ENOTDIR/),
    );
    expect(await failureOf(() => keyAt('/proc/a.key'))).toMatchObject({
      code: 'publish_failed',
      place: '/proc/a.key',
    });
  });

  test('rejects a short passphrase', () => {
    expect(faultOf(() => sealKey(LANTERN, 'elevenchars'))).toMatchObject(
      refusal('attestation_refused', /fewer/),
    );
  });
});
