import { attestationId, attestationUuid, justificationHash } from '../attestation/canonical-bytes.ts';
import { signWithDemoWallet } from '../attestation/demo-companions.ts';
import type { JsonObject } from '../attestation/limited-json.ts';
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
  const { scope, risk_level, risk_justification, request_context, epicon_ej } = request;
  const { ledger_id, monitored, previous } = given;
  const epicon_ej_hash = justificationHash(epicon_ej);
  const expires_at = timestampOf(given.expiresAt);
  return {
    version: '1.0.0',
    ledger_id,
    wallet_signature: signWithDemoWallet({ ledger_id, epicon_ej_hash, scope, expires_at }),
    ...{ epicon_ej_hash, epicon_ej, scope, expires_at, risk_level, risk_justification },
    attested_by: key.companion,
    attested_at: timestampOf(given.attestedAt),
    signature_algorithm: key.algorithm,
    drift_monitoring: monitored === null ? { enabled: false } : { enabled: true, ...monitored },
    metadata: {
      request_context,
      ...(previous === null ? {} : { previous_attestation: attestationUuid(previous) }),
    },
  };
}
