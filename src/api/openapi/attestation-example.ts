import type { JsonObject } from '../../../pipeline/attestation/read-json.ts';
import { type Registered, registryOf } from '../../../pipeline/attestation/registry.ts';
import { lookUpStatus } from '../../../pipeline/attestation/status.ts';
import { verifyAttestation } from '../../../pipeline/attestation/verify-attestation.ts';
import { demoCompanionKeys, demoCompanions } from '../../../pipeline/sample/demo-companions.ts';
import { DEMO_LEDGER_IDS } from '../../../pipeline/sample/demo-wallets.ts';
import { REQUESTS } from '../../../pipeline/sample/prose/requests.ts';
import { signRequest } from '../../../pipeline/sample/signed-request.ts';

const LEDGER_TIME = '2025-12-01T05:58:12Z';
const HOUR_MS = 3_600_000;

/** An attestation of the sample, as it would be answered about an hour after it was made. */
export function attestationExample() {
  const now = Date.parse(LEDGER_TIME);
  const attestedAt = now - HOUR_MS;
  const expiresAt = now + 30 * 24 * HOUR_MS;
  const monitored = { threshold: 0.1, check_interval: 'P1D' };
  const [key] = demoCompanionKeys();
  const [request] = REQUESTS;
  const given = {
    request: request!,
    ledger_id: DEMO_LEDGER_IDS[0]!,
    attestedAt,
    expiresAt,
    monitored,
    previous: null,
  };
  const { id, document } = signRequest(given, key!);
  const registered = registeredAs(document, key!.companion);
  const trust = {
    companions: demoCompanions(),
    registry: registryOf({ [id]: registered }),
  };
  const verdict = verifyAttestation(JSON.stringify(document), { ...trust, now });
  return {
    document,
    id,
    verdict: { ...verdict, as_of: LEDGER_TIME },
    status: { ...lookUpStatus(id, trust.registry, now), as_of: LEDGER_TIME },
  };
}

function registeredAs(
  { ledger_id, scope, risk_level, attested_at, expires_at }: JsonObject,
  companion: string,
): Registered {
  return {
    companion,
    ledger_id: ledger_id as string,
    scope: scope as string[],
    risk_level: risk_level as string,
    attested_at: attested_at as string,
    expires_at: expires_at as string,
    drift_threshold: 0.1,
    check_interval: 'P1D',
    drift: null,
    checked_at: null,
    late_checks: 0,
    status: 'active',
    ended_at: null,
    reason: null,
    superseded_by: null,
    renews: null,
  };
}
