import { execFileSync, spawnSync } from 'node:child_process';
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign as signWith,
  verify as verifyWith,
} from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, describe, expect, test } from 'vitest';
import { SCHEMES } from '../../pipeline/attestation/algorithms.ts';
import { signedBytes } from '../../pipeline/attestation/canonical-bytes.ts';
import type { Algorithm } from '../../pipeline/attestation/document.ts';
import { verifyAttestation } from '../../pipeline/attestation/verify-attestation.ts';
import { decodeBase64, encodeBase64 } from '../../pipeline/ledger/base64.ts';
import { COMPANIONS, COMPASS, LANTERN, NOW, signed, UNSIGNED } from './signed-document.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'cathedral-openssl-'));
const inFolder = (name: string) => join(FOLDER, name);
const openssl = (...args: string[]) =>
  execFileSync('openssl', args, { cwd: FOLDER, stdio: ['ignore', 'pipe', 'pipe'] });
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The verdict on the document with this signature, of a companion with this key. */
function verdictOn(algorithm: Algorithm, publicKey: Uint8Array, signature: Uint8Array) {
  const key = {
    algorithm,
    public_key: Buffer.from(publicKey).toString('hex'),
    valid_from: '2025-07-03T00:00:00Z',
  };
  const companions = { companions: [{ companion: 'LANTERN', keys: [key] }], wallets: [] };
  const document = { ...UNSIGNED, signature_algorithm: algorithm, signature: encodeBase64(signature) };
  return verifyAttestation(JSON.stringify(document), { now: NOW, companions, registry: null });
}

const message = (algorithm: Algorithm) => signedBytes({ ...UNSIGNED, signature_algorithm: algorithm });
const low = (signature: Uint8Array) => {
  const { r, s } = secp256k1.Signature.fromBytes(signature, 'compact');
  const order = secp256k1.Point.CURVE().n;
  return new secp256k1.Signature(r, s > order / 2n ? order - s : s).toBytes('compact');
};

describe('a document that node:crypto signs', () => {
  test('with Ed25519 verifies', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    expect(verdictOn('ed25519', raw, signWith(null, message('ed25519'), privateKey))).toMatchObject({
      valid: true,
    });
  });

  test('with secp256k1 verifies once its s is low', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65);
    const compressed = secp256k1.Point.fromBytes(point).toBytes(true);
    for (let count = 0; count < 20; count += 1) {
      const signature = signWith('sha256', message('ecdsa-secp256k1'), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      });
      const isLow = Buffer.compare(low(signature), signature) === 0;
      const verdict = verdictOn('ecdsa-secp256k1', compressed, signature);
      expect(verdict.problems.map(({ code }) => code)).toEqual(isLow ? [] : ['signature_high_s']);
      expect(verdictOn('ecdsa-secp256k1', compressed, low(signature))).toMatchObject({ valid: true });
    }
  });

  test('or verifies, it has signed as we do', () => {
    const spki = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      SCHEMES.ed25519.publicKey(LANTERN.secretKey),
    ]);
    const document = signed();
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    expect(verifyWith(null, signedBytes(document), key, decodeBase64(document.signature as string)!)).toBe(
      true,
    );
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), LANTERN.secretKey]);
    const secret = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    expect(encodeBase64(signWith(null, signedBytes(document), secret))).toBe(document.signature);
  });
});

describe.skipIf(!hasOpenssl)('a document that the openssl command', () => {
  test('signs with Ed25519 verifies', () => {
    writeFileSync(inFolder('message'), message('ed25519'));
    openssl('genpkey', '-algorithm', 'ed25519', '-out', 'ed.pem');
    openssl('pkeyutl', '-sign', '-rawin', '-inkey', 'ed.pem', '-in', 'message', '-out', 'ed.sig');
    const raw = openssl('pkey', '-in', 'ed.pem', '-pubout', '-outform', 'DER').subarray(-32);
    expect(verdictOn('ed25519', raw, readFileSync(inFolder('ed.sig')))).toMatchObject({ valid: true });
  });

  test('signs with secp256k1 verifies, as r and s with a low s', () => {
    writeFileSync(inFolder('message'), message('ecdsa-secp256k1'));
    openssl('ecparam', '-name', 'secp256k1', '-genkey', '-noout', '-out', 'ec.pem');
    openssl('dgst', '-sha256', '-sign', 'ec.pem', '-out', 'ec.sig', 'message');
    const compressed = openssl(
      'ec',
      '-in',
      'ec.pem',
      '-pubout',
      '-conv_form',
      'compressed',
      '-outform',
      'DER',
    ).subarray(-33);
    const compact = secp256k1.Signature.fromBytes(readFileSync(inFolder('ec.sig')), 'der').toBytes('compact');
    expect(verdictOn('ecdsa-secp256k1', compressed, low(compact))).toMatchObject({ valid: true });
  });

  test('verifies was signed by us, with secp256k1', () => {
    const document = signed({}, COMPASS);
    const { public_key } = COMPANIONS.companions[1]!.keys[0]!;
    const header = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');
    const signature = secp256k1.Signature.fromBytes(decodeBase64(document.signature as string)!, 'compact');
    writeFileSync(inFolder('public.der'), Buffer.concat([header, Buffer.from(public_key, 'hex')]));
    writeFileSync(inFolder('signature.der'), signature.toBytes('der'));
    writeFileSync(inFolder('message'), signedBytes(document));
    openssl('pkey', '-pubin', '-inform', 'DER', '-in', 'public.der', '-out', 'public.pem');
    const said = openssl(
      'dgst',
      '-sha256',
      '-verify',
      'public.pem',
      '-signature',
      'signature.der',
      'message',
    );
    expect(said.toString()).toBe('Verified OK\n');
  });
});
