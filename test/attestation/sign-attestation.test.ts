import { describe, expect, test } from 'vitest';
import { attestationId } from '../../pipeline/attestation/canonical-bytes.ts';
import type { Companions } from '../../pipeline/attestation/companions.ts';
import type { JsonObject } from '../../pipeline/attestation/limited-json.ts';
import type { Unattested } from '../../pipeline/attestation/registered.ts';
import { registryOf } from '../../pipeline/attestation/registry.ts';
import { publicKeyHex, signAttestation } from '../../pipeline/attestation/sign-attestation.ts';
import { COMPANIONS, keyOf, LANTERN, NOW, signed, UNSIGNED } from './signed-document.ts';

const DOCUMENT = signed();
const WALLET = UNSIGNED.wallet_signature;

const [ANOTHER] = COMPANIONS.companions.filter(({ companion }) => companion === 'LANTERN');
const LANTERN_OF_ANOTHER = {
  ...ANOTHER!,
  keys: [
    { ...ANOTHER!.keys[0]!, public_key: publicKeyHex('ed25519', keyOf('another', 'ed25519').secretKey) },
  ],
};

describe('signing', () => {
  test.each<[string, string, JsonObject]>([
    ['unknown_companion', '/attested_by', { attested_by: 'TALLY' }],
    ['algorithm_not_registered', '/signature_algorithm', { signature_algorithm: 'ecdsa-secp256k1' }],
    ['hash_mismatch', '/epicon_ej_hash', { epicon_ej_hash: `sha256:${'0'.repeat(64)}` }],
    ['attested_in_future', '/attested_at', { attested_at: '2025-12-02T00:00:00Z' }],
    ['wrong_pattern', '/scope/0', { scope: ['all'] }],
    ['wallet_signature_malformed', '/wallet_signature', { wallet_signature: '0xabcdef' }],
    ['wallet_signature_malformed', '/wallet_signature', { wallet_signature: `${WALLET.slice(0, -2)}00` }],
    ['wallet_signature_invalid', '/wallet_signature', { wallet_signature: `0x${'00'.repeat(64)}1b` }],
    ['expired', '/expires_at', { attested_at: '2025-11-01T00:00:00Z', expires_at: '2025-12-01T12:00:00Z' }],
  ])('refuses a document for %s at %s', (code, pointer, changes) => {
    const { document, problems } = signAttestation(JSON.stringify({ ...UNSIGNED, ...changes }), LANTERN, NOW);
    expect(document).toBeNull();
    expect(problems).toMatchObject([{ code, pointer }]);
  });

  test.each<[string, string, JsonObject, Companions]>([
    ['unknown_companion', '/attested_by', {}, { ...COMPANIONS, companions: [] }],
    ['key_not_valid', '/attested_at', { attested_at: '2025-07-02T00:00:00Z' }, COMPANIONS],
    ['signature_invalid', '/signature', {}, { companions: [LANTERN_OF_ANOTHER], wallets: [] }],
    [
      'wallet_signature_invalid',
      '/wallet_signature',
      {},
      { ...COMPANIONS, wallets: [{ ledger_id: UNSIGNED.ledger_id, address: `0x${'1'.repeat(40)}` }] },
    ],
  ])(
    'refuses what a verifier with the same companions would refuse for %s',
    (code, pointer, changes, known) => {
      const text = JSON.stringify({ ...UNSIGNED, expires_at: '2025-12-30T00:00:00Z', ...changes });
      const { document, problems } = signAttestation(text, LANTERN, NOW, {
        companions: known,
        registry: null,
      });
      expect(document).toBeNull();
      expect(problems).toContainEqual(expect.objectContaining({ code, pointer }));
      const trust = { companions: COMPANIONS, registry: null };
      expect(signAttestation(JSON.stringify(UNSIGNED), LANTERN, NOW, trust).document).toEqual(DOCUMENT);
    },
  );

  test.each(['', '[]', 'null', '{"a":1,"a":2}'])('refuses %j', (text) => {
    expect(signAttestation(text, LANTERN, NOW).problems).toHaveLength(1);
  });

  test('refuses what a service has revoked, where its published file says so', () => {
    const sign = (unattested: Record<string, Unattested>) => {
      const registry = registryOf({}, { asOf: '2025-12-01T12:00:00Z', unattested });
      return signAttestation(JSON.stringify(UNSIGNED), LANTERN, NOW, { companions: COMPANIONS, registry });
    };
    const lost = { ended_at: '2025-12-01T11:00:00Z', reason: 'lost', drift: null, checked_at: null };
    expect(sign({ [attestationId(DOCUMENT)]: lost }).problems).toMatchObject([{ code: 'revoked' }]);
    expect(sign({ ['c'.repeat(64)]: lost }).document).toEqual(DOCUMENT);
  });

  test('puts a new signature in the place of an old one', () => {
    expect(signAttestation(JSON.stringify({ ...DOCUMENT, signature: 7 }), LANTERN, NOW).document).toEqual(
      DOCUMENT,
    );
  });
});
