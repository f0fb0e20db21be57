import type { z } from 'zod';
import type { EVENT_DATA } from '../ledger/events/event.ts';
import { utcTimestamp } from '../ledger/events/timestamp.ts';
import type { Attestation } from './document.ts';
import type { JsonObject } from './limited-json.ts';

type Registration = z.output<typeof EVENT_DATA.companion_attested>;

/** The check interval of an event that does not state one. */
const DEFAULT_INTERVAL = 'P1D';

/**
 * The data of the event that registers a document: exactly what the verifier's check `registration` compares with it. Null as `document`
 * leaves the document itself out.
 */
export function registrationOf(
  id: string,
  attestation: Attestation,
  document: JsonObject | null,
): Registration {
  const { enabled, threshold, check_interval } = attestation.drift_monitoring;
  const previous = attestation.metadata?.previous_attestation;
  return {
    attestation: id,
    companion: attestation.attested_by,
    ledger_id: attestation.ledger_id,
    scope: attestation.scope,
    risk_level: attestation.risk_level,
    expires_at: utcTimestamp(attestation.expires_at),
    ...(enabled && { drift_threshold: threshold }),
    ...(enabled && check_interval !== DEFAULT_INTERVAL && { check_interval }),
    ...(previous !== undefined && { previous_attestation: previous }),
    ...(document && { document }),
  };
}
