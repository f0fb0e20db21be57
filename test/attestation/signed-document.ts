import { hash } from 'node:crypto';
import { SCHEMES } from '../../pipeline/attestation/algorithms.ts';
import { justificationHash, signedBytes } from '../../pipeline/attestation/canonical-bytes.ts';
import type { Result, Trust } from '../../pipeline/attestation/check.ts';
import type { Companions } from '../../pipeline/attestation/companions.ts';
import type { Algorithm } from '../../pipeline/attestation/document.ts';
import type { JsonObject } from '../../pipeline/attestation/limited-json.ts';
import type { Registered } from '../../pipeline/attestation/registered.ts';
import {
  publicKeyHex,
  type SigningKey,
  signAttestation,
} from '../../pipeline/attestation/sign-attestation.ts';
import {
  type CheckName,
  type Verdict,
  verifyAttestation,
} from '../../pipeline/attestation/verify-attestation.ts';
import { encodeBase64 } from '../../pipeline/ledger/notes/base64.ts';

export const NOW = Date.parse('2025-12-01T12:00:00Z');

export const JUSTIFICATION = {
  values: ['transparency', 'subsidiarity'],
  reasoning: 'The office needs the export for the report that the charter asks for.',
  anchors: [
    { type: 'policy', source: 'Charter, article 4', confidence: 0.9 },
    { type: 'practice', source: 'Report of 2024', confidence: 0.75 },
  ],
  boundaries: { applies_when: ['a report is due'], fails_when: ['the office is dissolved'] },
  // biome-ignore lint/suspicious/noThenProperty: the member's name in the document
  counterfactual: { if_changed: 'the report were dropped', then: 'no export would be needed' },
};

export const UNSIGNED = {
  version: '1.0.0',
  ledger_id: '0e1d2c3b-4a59-4687-9b6a-5c4d3e2f1a0b',
  // Of the form that a wallet's has: over any request it is by some address.
  wallet_signature:
    '0x9dd032ab957ed8ab0838653fc224a0de400045874b2d74c9125608831cff6c272841f7b5da45ec9151a14da610530e553d74fe7f8b911b8fb42ac014dd4702f51c',
  epicon_ej_hash: justificationHash(JUSTIFICATION),
  epicon_ej: JUSTIFICATION,
  scope: ['ledger.read.export', 'audit.trail.annotate'],
  expires_at: '2026-02-28T06:00:00Z',
  risk_level: 'medium',
  risk_justification: 'Reading alone; “annotate” can be undone.',
  attested_by: 'LANTERN',
  attested_at: '2025-12-01T06:00:00Z',
  signature_algorithm: 'ed25519',
  ccr_score: 0.93,
  drift_monitoring: { enabled: true, threshold: 0.2, check_interval: 'PT12H' },
  metadata: { request_context: 'yearly report', audit_trail_id: 'A-17' },
} satisfies JsonObject;

/** What the ledger has of it. */
export const REGISTERED: Registered = {
  companion: 'LANTERN',
  ledger_id: UNSIGNED.ledger_id,
  scope: UNSIGNED.scope,
  risk_level: 'medium',
  attested_at: '2025-12-01T06:00:05Z',
  expires_at: UNSIGNED.expires_at,
  drift_threshold: 0.2,
  check_interval: 'PT12H',
  drift: null,
  checked_at: null,
  late_checks: 0,
  status: 'active',
  ended_at: null,
  reason: null,
  superseded_by: null,
  renews: null,
};

export function keyOf(companion: string, algorithm: Algorithm): SigningKey {
  return { companion, algorithm, secretKey: hash('sha256', `${companion} ${algorithm}`, 'buffer') };
}

export const LANTERN = keyOf('LANTERN', 'ed25519');
export const COMPASS = keyOf('COMPASS', 'ecdsa-secp256k1');

export const COMPANIONS: Companions = {
  companions: [LANTERN, COMPASS].map(({ companion, algorithm, secretKey }) => ({
    companion,
    keys: [
      {
        algorithm,
        public_key: publicKeyHex(algorithm, secretKey),
        valid_from: '2025-07-03T00:00:00Z',
        valid_until: '2026-07-03T00:00:00Z',
      },
    ],
  })),
  wallets: [],
};

export const TRUST: Trust = { now: NOW, companions: COMPANIONS, registry: null };

/** The document signed; `key` decides who attests and with what. Throws where it would not verify. */
export function signed(changes: JsonObject = {}, key: SigningKey = LANTERN, now: number = NOW): JsonObject {
  const { companion: attested_by, algorithm: signature_algorithm } = key;
  const unsigned = { ...UNSIGNED, attested_by, signature_algorithm, ...changes };
  const { document, problems } = signAttestation(JSON.stringify(unsigned), key, now);
  if (document === null) throw new Error(JSON.stringify(problems));
  return document;
}

/** The companion’s signature over any document, good or not: what a faulty signer could make. */
export function forced(changes: JsonObject, { companion, algorithm, secretKey } = LANTERN): JsonObject {
  const document = { ...UNSIGNED, attested_by: companion, signature_algorithm: algorithm, ...changes };
  const signature = SCHEMES[algorithm].sign(signedBytes(document), secretKey);
  return { ...document, signature: encodeBase64(signature) };
}

export function verifyDocument(document: JsonObject, trust: Partial<Trust> = {}): Verdict {
  return verifyAttestation(JSON.stringify(document), { ...TRUST, ...trust });
}

export function resultOf({ checks }: Verdict, name: CheckName): Result {
  return checks.find((check) => check.name === name)!.result;
}

/** What a verifier's clock says. */
export function at(time: string): { now: number } {
  return { now: Date.parse(time) };
}
