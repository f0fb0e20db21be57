import { hash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { SCHEMES } from '../../pipeline/attestation/algorithms.ts';
import { canonicalBytes } from '../../pipeline/attestation/canonical-bytes.ts';
import { type Json, readLimitedJson } from '../../pipeline/attestation/limited-json.ts';

const ed25519 = SCHEMES.ed25519;
const ecdsa = SCHEMES['ecdsa-secp256k1'];
const utf8 = (text: string) => new TextEncoder().encode(text);

/** What the reader makes of the text, in its canonical form. */
function canonical(text: string): string {
  const { value, problem } = readLimitedJson(text);
  expect(problem).toBeNull();
  return new TextDecoder().decode(canonicalBytes(value as Json));
}

describe('the canonical form is that of RFC 8785', () => {
  test('for the example of section 3.2.2', () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    const expected = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
    expect(canonical(text)).toBe(expected);
  });

  test('for the order of names of section 3.2.3, which is that of UTF-16 units', () => {
    const text = String.raw`{"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"}`;
    expect(Object.values(JSON.parse(canonical(text)))).toHaveLength(7);
    expect([...canonical(text).matchAll(/:"([^"]+)"/g)].map(([, name]) => name)).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('for the double %s of appendix B', (bits, expected) => {
    const number = Buffer.from(bits, 'hex').readDoubleBE();
    expect(new TextDecoder().decode(canonicalBytes(number))).toBe(expected);
    expect(canonical(expected)).toBe(expected);
  });
});

describe('Ed25519 is that of RFC 8032', () => {
  const VECTORS = [
    {
      name: 'TEST 1',
      secret: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      message: '',
      signature:
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    },
    {
      name: 'TEST 2',
      secret: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      message: '72',
      signature:
        '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    },
    {
      name: 'TEST 3',
      secret: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
      key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      message: 'af82',
      signature:
        '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    },
    {
      name: 'TEST SHA(abc)',
      secret: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
      key: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
      message: hash('sha512', 'abc'),
      signature:
        'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
    },
  ];

  test.each(VECTORS)('$name', ({ secret, key, message, signature }) => {
    expect(bytesToHex(ed25519.publicKey(hexToBytes(secret)))).toBe(key);
    expect(bytesToHex(ed25519.sign(hexToBytes(message), hexToBytes(secret)))).toBe(signature);
    expect(ed25519.fault(hexToBytes(signature), hexToBytes(message), hexToBytes(key))).toBeNull();
  });

  const { key, message, signature } = VECTORS[1]!;
  const [R, S] = [signature.slice(0, 64), signature.slice(64)];
  const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
  const littleEndian = (number: bigint) =>
    Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex');
  const scalar = BigInt(`0x${Buffer.from(S, 'hex').reverse().toString('hex')}`);

  test.each([
    ['S + L, the same scalar written otherwise', R + littleEndian(scalar + ORDER)],
    ['S = 0', R + '00'.repeat(32)],
    ['S = L', R + littleEndian(ORDER)],
    ['S of all ones', R + 'ff'.repeat(32)],
    ['the negated R', `${R.slice(0, 62)}${(Number.parseInt(R.slice(62), 16) ^ 0x80).toString(16)}${S}`],
    ['an R that is no point', `02${'00'.repeat(31)}${S}`],
    ['nothing but zeros', '00'.repeat(64)],
  ])('%s is refused', (_, wrong) => {
    expect(ed25519.fault(hexToBytes(wrong), hexToBytes(message), hexToBytes(key))).toBe('signature_invalid');
  });

  const SMALL_ORDER = [
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    '0000000000000000000000000000000000000000000000000000000000000080',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  ];
  const NOT_CANONICAL = [
    '0100000000000000000000000000000000000000000000000000000000000080',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  ];

  test.each([...SMALL_ORDER, ...NOT_CANONICAL])(
    'the key %s, with which anything verifies elsewhere, is refused',
    (bad) => {
      expect(ed25519.isPublicKey(hexToBytes(bad))).toBe(false);
      // R = the key and S = 0 satisfy the equation for one message in eight or in all, of each of these keys.
      for (let count = 0; count < 16; count += 1) {
        for (const point of SMALL_ORDER) {
          const forged = hexToBytes(point + '00'.repeat(32));
          expect(ed25519.fault(forged, utf8(`message ${count}`), hexToBytes(bad))).toBe('signature_invalid');
        }
      }
    },
  );

  test('a signature whose R has a part of small order is refused, which verifiers disagree about', async () => {
    const { ed25519: curve } = await import('@noble/curves/ed25519.js');
    const torsion = curve.Point.fromHex(SMALL_ORDER[4]!);
    const [secret, nonce] = [12345n, 67890n];
    const A = curve.Point.BASE.multiply(secret);
    const Rpoint = curve.Point.BASE.multiply(nonce).add(torsion);
    const text = utf8('mixed');
    const digest = hash('sha512', Buffer.concat([Rpoint.toBytes(), A.toBytes(), text]), 'buffer');
    const k = BigInt(`0x${Buffer.from(digest).reverse().toString('hex')}`) % ORDER;
    const forged = hexToBytes(Rpoint.toHex() + littleEndian((nonce + k * secret) % ORDER));
    // The equation with the cofactor holds.
    expect(curve.verify(forged, text, A.toBytes(), { zip215: true })).toBe(true);
    expect(ed25519.fault(forged, text, A.toBytes())).toBe('signature_invalid');
  });
});

describe('ECDSA over secp256k1', () => {
  // Widely used vectors of RFC 6979 nonces for this curve, secret key 1.
  const ONE = hexToBytes(`${'00'.repeat(31)}01`);
  const KEY = ecdsa.publicKey(ONE);
  const ORDER = secp256k1.Point.CURVE().n;
  const hex = (number: bigint) => number.toString(16).padStart(64, '0');

  const VECTORS = [
    [
      'Satoshi Nakamoto',
      '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d82442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
    ],
    [
      'All those moments will be lost in time, like tears in rain. Time to die...',
      '8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21',
    ],
  ] as const;

  test.each(VECTORS)('signs %j with the nonce of RFC 6979 and a low s', (message, signature) => {
    expect(bytesToHex(ecdsa.sign(utf8(message), ONE))).toBe(signature);
    expect(ecdsa.fault(hexToBytes(signature), utf8(message), KEY)).toBeNull();
  });

  const [message, signature] = VECTORS[0];
  const r = BigInt(`0x${signature.slice(0, 64)}`);
  const s = BigInt(`0x${signature.slice(64)}`);

  test.each([
    ['a high s, the same signature for others', hex(r) + hex(ORDER - s), 'signature_high_s'],
    ['r = 0', hex(0n) + hex(s), 'signature_invalid'],
    ['s = 0', hex(r) + hex(0n), 'signature_invalid'],
    ['r = s = 0', hex(0n) + hex(0n), 'signature_invalid'],
    ['r = n', hex(ORDER) + hex(s), 'signature_invalid'],
    ['s = n', hex(r) + hex(ORDER), 'signature_invalid'],
    ['r = r + n, as far as it fits', hex((r + ORDER) % 2n ** 256n) + hex(s), 'signature_invalid'],
    ['r and s of all ones', 'ff'.repeat(64), 'signature_invalid'],
    ['r and s exchanged', hex(s) + hex(r), 'signature_high_s'],
    ['r = 1, s = 1', hex(1n) + hex(1n), 'signature_invalid'],
  ])('%s is refused', (_, wrong, code) => {
    expect(ecdsa.fault(hexToBytes(wrong), utf8(message), KEY)).toBe(code);
  });

  test.each([
    ['of 65 bytes', secp256k1.Point.BASE.toHex(false)],
    ['of the wrong parity byte', `05${bytesToHex(KEY).slice(2)}`],
    ['not on the curve', `02${hex(5n)}`],
    ['with x = p', `02${hex(secp256k1.Point.CURVE().p)}`],
    ['of zeros', '00'.repeat(33)],
    ['of one byte, the point at infinity', '00'],
    ['empty', ''],
  ])('a key %s is refused', (_, wrong) => {
    expect(ecdsa.isPublicKey(hexToBytes(wrong))).toBe(false);
    expect(ecdsa.fault(hexToBytes(signature), utf8(message), hexToBytes(wrong))).toBe('signature_invalid');
  });

  test('a key that is not this message’s is refused', () => {
    const other = ecdsa.publicKey(hexToBytes(hex(2n)));
    expect(ecdsa.fault(hexToBytes(signature), utf8(message), other)).toBe('signature_invalid');
    expect(ecdsa.fault(hexToBytes(signature), utf8(`${message}.`), KEY)).toBe('signature_invalid');
  });
});
