import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../pipeline/attestation/read-json.ts';
import { signAttestation } from '../../pipeline/attestation/sign-attestation.ts';
import { LANTERN, NOW, signed, UNSIGNED } from './signed-document.ts';

const DOCUMENT = signed();

describe('signing', () => {
  test.each<[string, string, JsonObject]>([
    ['unknown_companion', '/attested_by', { attested_by: 'TALLY' }],
    ['algorithm_not_registered', '/signature_algorithm', { signature_algorithm: 'ecdsa-secp256k1' }],
    ['hash_mismatch', '/epicon_ej_hash', { epicon_ej_hash: `sha256:${'0'.repeat(64)}` }],
    ['attested_in_future', '/attested_at', { attested_at: '2025-12-02T00:00:00Z' }],
    ['wrong_pattern', '/scope/0', { scope: ['all'] }],
  ])('refuses a document for %s at %s', (code, pointer, changes) => {
    const { document, problems } = signAttestation(JSON.stringify({ ...UNSIGNED, ...changes }), LANTERN, NOW);
    expect(document).toBeNull();
    expect(problems).toMatchObject([{ code, pointer }]);
  });

  test.each(['', '[]', 'null', '{"a":1,"a":2}'])('refuses %j', (text) => {
    expect(signAttestation(text, LANTERN, NOW).problems).toHaveLength(1);
  });

  test('puts a new signature in the place of an old one', () => {
    expect(signAttestation(JSON.stringify({ ...DOCUMENT, signature: 7 }), LANTERN, NOW).document).toEqual(
      DOCUMENT,
    );
  });
});
