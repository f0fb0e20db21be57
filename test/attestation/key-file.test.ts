import { describe, expect, test } from 'vitest';
import { openKey, parseKeyFile, sealKey } from '../../src/commands/attest/key-file.ts';
import { COMPASS, LANTERN } from './signed-document.ts';

const PASSPHRASE = 'correct horse battery';
const SEALED = sealKey(LANTERN, PASSPHRASE);
const refusal = (code: string, found: RegExp) =>
  expect.objectContaining({ code, found: expect.stringMatching(found) });
const thrownBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
};

describe('a key file', () => {
  test.each([LANTERN, COMPASS])('returns the $algorithm key for the passphrase', (key) => {
    const opened = openKey(parseKeyFile(sealKey(key, PASSPHRASE), 'a.key'), PASSPHRASE, 'a.key');
    expect({ ...opened, secretKey: Buffer.from(opened.secretKey) }).toEqual(key);
  });

  test('does not contain the secret key, and differs each time', () => {
    const file = parseKeyFile(SEALED, 'a.key');
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(SEALED).not.toContain(Buffer.from(LANTERN.secretKey).toString(encoding));
    const again = parseKeyFile(sealKey(LANTERN, PASSPHRASE), 'a.key');
    expect([again.kdf.salt, again.cipher.iv, again.secret_key]).not.toContain(file.kdf.salt);
    expect(again.secret_key).not.toBe(file.secret_key);
  });

  test('does not open with a different passphrase', () => {
    const file = parseKeyFile(SEALED, 'a.key');
    expect(thrownBy(() => openKey(file, `${PASSPHRASE}.`, 'a.key'))).toEqual(
      refusal('attestation_refused', /a wrong one/),
    );
  });

  test('opens for any Unicode composition of the passphrase', () => {
    const file = parseKeyFile(sealKey(LANTERN, 'caf\u00e9 au lait, s.v.p.'), 'a.key');
    expect(openKey(file, 'cafe\u0301 au lait, s.v.p.', 'a.key').companion).toBe('LANTERN');
  });

  const changed = JSON.parse(SEALED);
  test.each([
    ['companion', { ...changed, companion: 'TALLY' }],
    [
      'public key',
      {
        ...changed,
        public_key: changed.public_key.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')),
      },
    ],
    ['salt', { ...changed, kdf: { ...changed.kdf, salt: Buffer.alloc(16).toString('base64') } }],
    ['iv', { ...changed, cipher: { ...changed.cipher, iv: Buffer.alloc(12).toString('base64') } }],
    ['ciphertext', { ...changed, secret_key: Buffer.alloc(32).toString('base64') }],
    ['tag', { ...changed, tag: Buffer.alloc(16).toString('base64') }],
  ])('with another %s is refused', (_, file) => {
    const parsed = parseKeyFile(JSON.stringify(file), 'a.key');
    expect(thrownBy(() => openKey(parsed, PASSPHRASE, 'a.key'))).toEqual(
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
    expect(thrownBy(() => parseKeyFile(text, 'a.key'))).toEqual(refusal('attestation_refused', /./));
  });

  test('rejects a short passphrase', () => {
    expect(thrownBy(() => sealKey(LANTERN, 'elevenchars'))).toEqual(refusal('attestation_refused', /fewer/));
  });
});
