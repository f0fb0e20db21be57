import { attestationId, attestationUuid, justificationHash } from '../attestation/canonical-bytes.ts';
import { signWithDemoWallet } from '../attestation/demo-companions.ts';
import type { JsonObject } from '../attestation/read-json.ts';
import { type SigningKey, signAttestation } from '../attestation/sign-attestation.ts';
import { timestampOf } from '../model/window.ts';
import type { CompanionRequest } from './texts.ts';

export interface RequestToSign {
  request: CompanionRequest;
  ledger_id: string;
  /** Unix ms, a whole second. */
  attestedAt: number;
  expiresAt: number;
  /** Null if drift is not monitored. */
  monitored: { threshold: number; check_interval: string } | null;
  /** Id of the attestation that this one renews, or null. */
  previous: string | null;
}

/** A companion attestation, signed by the demo companion and the demo wallet. Equal requests give equal bytes. */
export function signRequest(given: RequestToSign, key: SigningKey): { id: string; document: JsonObject } {
  const unsigned = documentOf(given, key);
  const { document, problems } = signAttestation(JSON.stringify(unsigned), key, given.attestedAt);
  if (document === null) throw new Error(`invalid sample attestation: ${JSON.stringify(problems)}`);
  return { id: attestationId(document), document };
}

function documentOf({ request, ...given }: RequestToSign, key: SigningKey): JsonObject {
  const epicon_ej = justificationOf(request);
  const claim = {
    ledger_id: given.ledger_id,
    epicon_ej_hash: justificationHash(epicon_ej),
    scope: [...request.scope],
    expires_at: timestampOf(given.expiresAt),
  };
  return {
    version: '1.0.0',
    ledger_id: claim.ledger_id,
    wallet_signature: signWithDemoWallet(claim),
    epicon_ej_hash: claim.epicon_ej_hash,
    epicon_ej,
    scope: claim.scope,
    expires_at: claim.expires_at,
    risk_level: request.risk_level,
    risk_justification: request.risk_justification,
    attested_by: key.companion,
    attested_at: timestampOf(given.attestedAt),
    signature_algorithm: key.algorithm,
    drift_monitoring: given.monitored === null ? { enabled: false } : { enabled: true, ...given.monitored },
    metadata: {
      request_context: request.request_context,
      ...(given.previous === null ? {} : { previous_attestation: attestationUuid(given.previous) }),
    },
  };
}

function justificationOf({
  values,
  reasoning,
  anchors,
  boundaries,
  counterfactual,
}: CompanionRequest): JsonObject {
  const { if_changed, result } = counterfactual;
  // biome-ignore lint/suspicious/noThenProperty: the document's schema names this member
  return { values, reasoning, anchors, boundaries, counterfactual: { if_changed, then: result } };
}
