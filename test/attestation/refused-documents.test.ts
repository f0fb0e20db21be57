import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { canonicalBytes } from '../../pipeline/attestation/canonical-bytes.ts';
import { MAX_PROBLEMS } from '../../pipeline/attestation/problem.ts';
import type { JsonObject } from '../../pipeline/attestation/read-json.ts';
import { signAttestation } from '../../pipeline/attestation/sign-attestation.ts';
import { decodeBase64, encodeBase64 } from '../../pipeline/ledger/base64.ts';
import {
  at,
  COMPANIONS,
  COMPASS,
  forced,
  keyOf,
  LANTERN,
  NOW,
  signed,
  UNSIGNED,
  verifyDocument as verify,
} from './signed-document.ts';

const DOCUMENT = signed();

describe('a document is refused', () => {
  const ninety = Date.parse(UNSIGNED.attested_at) + 90 * 86_400_000;
  const time = (ms: number) => new Date(ms).toISOString();

  test.each<[string, string, JsonObject]>([
    ['hash_mismatch', '/epicon_ej_hash', { epicon_ej_hash: `sha256:${'0'.repeat(64)}` }],
    ['hash_mismatch', '/epicon_ej_hash', { epicon_ej: { ...UNSIGNED.epicon_ej, values: ['other'] } }],
    ['validity_too_long', '/expires_at', { expires_at: time(ninety + 1000) }],
    [
      'validity_too_long',
      '/expires_at',
      { expires_at: time(ninety).replace('.000Z', '.0000000000000000000001Z') },
    ],
    ['expires_before_attested', '/expires_at', { expires_at: UNSIGNED.attested_at }],
    ['expires_before_attested', '/expires_at', { expires_at: '2025-12-01T06:00:00+00:01' }],
    ['attested_in_future', '/attested_at', { attested_at: '2025-12-01T12:05:01Z' }],
    ['attested_in_future', '/attested_at', { attested_at: '2025-12-01T12:05:00.001Z' }],
    ['unknown_companion', '/attested_by', { attested_by: 'NOBODY' }],
    ['unknown_companion', '/attested_by', { attested_by: '__proto__' }],
    ['unknown_companion', '/attested_by', { attested_by: 'lantern' }],
    ['algorithm_not_registered', '/signature_algorithm', { signature_algorithm: 'ecdsa-secp256k1' }],
    [
      'key_not_valid',
      '/attested_at',
      { attested_at: '2025-07-02T23:59:59Z', expires_at: '2025-07-10T00:00:00Z' },
    ],
  ])('for %s at %s', (code, pointer, changes) => {
    const verdict = verify(forced(changes));
    expect(verdict).toMatchObject({ valid: false, status: 'invalid' });
    expect(verdict.problems).toContainEqual({ code, pointer, message: expect.any(String) });
  });

  test('when its key has ended, from that second on', () => {
    const { valid_until } = COMPANIONS.companions[0]!.keys[0]!;
    const last = forced({ attested_at: '2026-07-02T23:59:59.999Z', expires_at: '2026-07-20T00:00:00Z' });
    expect(verify(last, at('2026-07-04T00:00:00Z'))).toMatchObject({ valid: true });
    const first = forced({ attested_at: valid_until!, expires_at: '2026-07-20T00:00:00Z' });
    expect(verify(first, at('2026-07-04T00:00:00Z')).problems).toMatchObject([
      { code: 'key_not_valid', pointer: '/attested_at' },
    ]);
  });

  test('not for exactly 90 days, nor for a clock that is 300 seconds ahead', () => {
    expect(verify(forced({ expires_at: time(ninety) }))).toMatchObject({ valid: true });
    expect(verify(forced({ expires_at: '2026-03-01T08:00:00+02:00' }))).toMatchObject({ valid: true });
    expect(verify(forced({ attested_at: '2025-12-01T12:05:00Z' }))).toMatchObject({ valid: true });
  });

  test('when another key has signed it', () => {
    const { document } = signAttestation(
      JSON.stringify({ ...UNSIGNED }),
      { ...keyOf('other', 'ed25519'), companion: 'LANTERN' },
      NOW,
    );
    expect(verify(document!).problems).toMatchObject([{ code: 'signature_invalid', pointer: '/signature' }]);
  });

  test('when the same JSON was signed without the line that says what it is', () => {
    const { signature: _, ...rest } = DOCUMENT;
    const signature = encodeBase64(ed25519.sign(canonicalBytes(rest), LANTERN.secretKey));
    expect(verify({ ...rest, signature }).problems).toMatchObject([{ code: 'signature_invalid' }]);
  });

  const good = DOCUMENT.signature as string;
  test.each([
    ['without padding', good.replace(/=+$/, '')],
    ['with more padding', `${good}=`],
    [
      'with bits after the last byte',
      good.replace(/(.)==$/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}==`),
    ],
    ['of 63 bytes', encodeBase64(decodeBase64(good)!.subarray(0, 63))],
    ['of 65 bytes', encodeBase64(Uint8Array.of(...decodeBase64(good)!, 0))],
    ['of no bytes', '===='],
    ['twice', good + good],
  ])('when its signature is %s', (_, signature) => {
    expect(verify({ ...DOCUMENT, signature }).problems).toMatchObject([
      { code: 'signature_malformed', pointer: '/signature' },
    ]);
  });

  test('when its signature has a high s', () => {
    const document = signed({}, COMPASS);
    const parsed = secp256k1.Signature.fromBytes(decodeBase64(document.signature as string)!, 'compact');
    const high = new secp256k1.Signature(parsed.r, secp256k1.Point.CURVE().n - parsed.s);
    const signature = encodeBase64(high.toBytes('compact'));
    expect(verify({ ...document, signature }).problems).toMatchObject([
      { code: 'signature_high_s', pointer: '/signature' },
    ]);
  });

  test('with each thing that is wrong, not only the first', () => {
    const document = {
      ...UNSIGNED,
      epicon_ej_hash: `sha256:${'0'.repeat(64)}`,
      attested_by: 'NOBODY',
      expires_at: '2025-11-01T00:00:00Z',
      signature: 'AA==',
    };
    expect(verify(document).problems.map(({ code }) => code)).toEqual([
      'hash_mismatch',
      'expires_before_attested',
      'unknown_companion',
      'signature_malformed',
      'expired',
    ]);
  });

  test('with the names of what is missing or unknown, so that no two sentences are the same', () => {
    const { signature: _, ...unsigned } = DOCUMENT;
    const { checks } = verify({ ...unsigned, wallet: '0x' });
    expect(checks[1]!.detail).toBe(
      'The member "signature" is required but missing. The schema has no member "wallet".',
    );
  });

  test('with a bounded number of problems', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 0]));
    expect(verify(many).problems).toHaveLength(MAX_PROBLEMS);
    const scope = Array.from({ length: 9000 }, () => 'X');
    expect(verify({ ...DOCUMENT, scope }).problems).toHaveLength(MAX_PROBLEMS);
  });
});
