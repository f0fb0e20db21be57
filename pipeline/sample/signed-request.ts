import { attestationId, attestationUuid, justificationHash } from '../attestation/canonical-bytes.ts';
import { signWithDemoWallet } from '../attestation/demo-companions.ts';
import type { JsonObject } from '../attestation/read-json.ts';
import { type SigningKey, signAttestation } from '../attestation/sign-attestation.ts';
import type { Request } from './prose/requests.ts';

export interface RequestToSign {
  request: Request;
  ledger_id: string;
  /** Unix ms, of a whole second. */
  attestedAt: number;
  expiresAt: number;
  /** Null: drift is not monitored. */
  monitored: { threshold: number; check_interval: string } | null;
  /** Id of the attestation that it renews; null for none. */
  previous: string | null;
}

/** The attestation of a companion of the sample, signed by it and by the wallet. The same request gives the same bytes. */
export function signRequest(given: RequestToSign, key: SigningKey): { id: string; document: JsonObject } {
  const unsigned = documentOf(given, key);
  const { document, problems } = signAttestation(JSON.stringify(unsigned), key, given.attestedAt);
  if (document === null) throw new Error(`a request of the sample: ${JSON.stringify(problems)}`);
  return { id: attestationId(document), document };
}

function documentOf({ request, ...given }: RequestToSign, key: SigningKey): JsonObject {
  const epicon_ej = justificationOf(request);
  const claim = {
    ledger_id: given.ledger_id,
    epicon_ej_hash: justificationHash(epicon_ej),
    scope: [...request.scope],
    expires_at: formatSecond(given.expiresAt),
  };
  return {
    version: '1.0.0',
    ledger_id: claim.ledger_id,
    wallet_signature: signWithDemoWallet(claim),
    epicon_ej_hash: claim.epicon_ej_hash,
    epicon_ej,
    scope: claim.scope,
    expires_at: claim.expires_at,
    risk_level: request.risk,
    risk_justification: request.riskReason,
    attested_by: key.companion,
    attested_at: formatSecond(given.attestedAt),
    signature_algorithm: key.algorithm,
    drift_monitoring: given.monitored === null ? { enabled: false } : { enabled: true, ...given.monitored },
    metadata: {
      request_context: request.context,
      ...(given.previous === null ? {} : { previous_attestation: attestationUuid(given.previous) }),
    },
  };
}

function justificationOf({ values, reasoning, anchors, boundaries, counterfactual }: Request): JsonObject {
  const { if_changed, result } = counterfactual;
  // biome-ignore lint/suspicious/noThenProperty: the member's name in the document
  const written = { values, reasoning, anchors, boundaries, counterfactual: { if_changed, then: result } };
  return written as unknown as JsonObject;
}

/** `2025-12-01T06:00:00Z` */
export function formatSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
