import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { addressOf, personalHash } from '../../pipeline/attestation/wallet-signature.ts';
import { COMPANIONS, keyOf, signed, verifyDocument as verify } from './signed-document.ts';

const DOCUMENT = signed();

describe('the wallet', () => {
  const SECRET = hexToBytes('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
  const address = addressOf(secp256k1.getPublicKey(SECRET, false));
  function walletSignature(text: string): string {
    const recovered = secp256k1.sign(personalHash(text), SECRET, { prehash: false, format: 'recovered' });
    return `0x${bytesToHex(recovered.subarray(1))}${(27 + recovered[0]!).toString(16)}`;
  }

  test('has the same address and signature as with Ethereum’s tools', () => {
    // Key, message and signature from the eth-account and web3.js documentation.
    expect(address).toBe('0x2c7536e3605d9c16a7a3d7b1898e529396a65c23');
    expect(walletSignature('Some data')).toBe(
      '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c',
    );
  });
});

describe('companions', () => {
  const [first] = COMPANIONS.companions;
  const key = first!.keys[0]!;

  test('may have two keys at once, of which expired ones do not count', () => {
    const next = keyOf('LANTERN, next', 'ed25519');
    const keys = [
      key,
      {
        ...key,
        public_key: bytesToHex(ed25519.getPublicKey(next.secretKey)),
        valid_from: '2025-11-30T00:00:00Z',
      },
    ];
    const document = signed({}, { ...next, companion: 'LANTERN' });
    const both = { companions: [{ companion: 'LANTERN', keys }], wallets: [] };
    expect(verify(document, { companions: both }).valid).toBe(true);
    expect(verify(DOCUMENT, { companions: both }).valid).toBe(true);
    const ended = {
      companions: [
        { companion: 'LANTERN', keys: [{ ...key, valid_until: '2025-12-01T00:00:00Z' }, keys[1]!] },
      ],
      wallets: [],
    };
    expect(verify(DOCUMENT, { companions: ended }).problems).toMatchObject([{ code: 'signature_invalid' }]);
  });
});
