import { attestationUuid } from '../attestation/canonical-bytes.ts';
import { MAX_VALIDITY_SECONDS } from '../attestation/checks/period.ts';
import { addSeconds, compareInstants, parseInstant } from '../attestation/instant.ts';
import { isCheckLate, type Registered, statusAt } from '../attestation/registry.ts';
import type { EventOf, LedgerEvent } from '../ledger/event.ts';
import { own } from './own.ts';

/** Companion Attestations that the ledger has, by id: the SHA-256 of the signed bytes, in hex. */
export type Companions = Record<string, Registered>;
export type CompanionEvent = EventOf<'companion_attested' | 'companion_drift' | 'companion_revoked'>;

const COMPANION_EVENTS: ReadonlySet<string> = new Set<CompanionEvent['type']>([
  'companion_attested',
  'companion_drift',
  'companion_revoked',
]);

export function isCompanionEvent(event: LedgerEvent): event is CompanionEvent {
  return COMPANION_EVENTS.has(event.type);
}

/** Where the event does not say how often drift is to be checked. */
const CHECK_INTERVAL = 'P1D';

/**
 * What the event changes, which is done to `companions` itself; what it contradicts is returned in words, for a finding. An
 * event that contradicts the rules has happened and counts as far as it can, but it never ends another's attestation.
 */
export function applyCompanionEvent(companions: Companions, event: CompanionEvent): string[] {
  if (event.type === 'companion_attested') return attested(companions, event);
  return event.type === 'companion_drift' ? drift(companions, event) : revoked(companions, event);
}

function attested(companions: Companions, event: EventOf<'companion_attested'>): string[] {
  const { attestation, previous_attestation } = event.data;
  // The first stands: a second one could revive what was revoked.
  if (own(companions, attestation)) return [`attestation ${attestation} is attested a second time`];
  const entry = entryOf(event);
  const findings = [...periodFindings(event), ...renew(companions, event, entry)];
  companions[attestation] = entry;
  return previous_attestation === attestation
    ? [...findings, `attestation ${attestation} renews itself`]
    : findings;
}

function entryOf({ data, timestamp }: EventOf<'companion_attested'>): Registered {
  const { companion, ledger_id, scope, risk_level, expires_at, drift_threshold, check_interval } = data;
  return {
    companion,
    ledger_id,
    scope,
    risk_level,
    attested_at: timestamp,
    expires_at,
    drift_threshold: drift_threshold ?? null,
    check_interval: check_interval ?? CHECK_INTERVAL,
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

function periodFindings({ data, timestamp }: EventOf<'companion_attested'>): string[] {
  const from = parseInstant(timestamp);
  const until = parseInstant(data.expires_at);
  const isPeriod =
    compareInstants(from, until) < 0 && compareInstants(until, addSeconds(from, MAX_VALIDITY_SECONDS)) <= 0;
  return isPeriod ? [] : [`attestation ${data.attestation} is not for a time of at most 90 days`];
}

/** The one before is superseded, if it is the same companion's for the same entity and nobody took its place yet. */
function renew(companions: Companions, event: EventOf<'companion_attested'>, entry: Registered): string[] {
  const { attestation, previous_attestation } = event.data;
  if (previous_attestation === undefined || previous_attestation === attestation) return [];
  const found = find(companions, previous_attestation);
  const fault = found ? renewalFault(found[1], entry) : 'which is not known';
  if (!found || fault !== null)
    return [`attestation ${attestation} renews ${previous_attestation}, ${fault}`];
  const [id, previous] = found;
  entry.renews = id;
  previous.superseded_by = attestation;
  if (statusAt(previous, Date.parse(event.timestamp)) === 'active')
    end(previous, 'superseded', event.timestamp, `renewed by ${attestation}`);
  return [];
}

function renewalFault(previous: Registered, entry: Registered): string | null {
  if (
    previous.companion !== entry.companion ||
    previous.ledger_id.toLowerCase() !== entry.ledger_id.toLowerCase()
  )
    return 'which is of another companion or another ledger id';
  if (previous.status === 'revoked') return 'which was revoked';
  return previous.superseded_by === null ? null : 'which was renewed already';
}

/** By id, or by the UUID that documents call it by. */
function find(companions: Companions, name: string): readonly [id: string, Registered] | undefined {
  const known = own(companions, name);
  if (known) return [name, known];
  const uuid = name.toLowerCase();
  return Object.entries(companions).find(([id]) => attestationUuid(id) === uuid);
}

/** A score at or above the threshold revokes: nobody has to act on it. */
function drift(companions: Companions, { data, timestamp }: EventOf<'companion_drift'>): string[] {
  const { attestation, score } = data;
  const entry = own(companions, attestation);
  if (!entry) return [`a drift score of attestation ${attestation}, which is not known`];
  if (isCheckLate(entry, Date.parse(timestamp))) entry.late_checks += 1;
  entry.drift = score;
  entry.checked_at = timestamp;
  const { drift_threshold } = entry;
  if (
    drift_threshold !== null &&
    score >= drift_threshold &&
    statusAt(entry, Date.parse(timestamp)) === 'active'
  )
    end(entry, 'revoked', timestamp, `drift ${score} reached the threshold ${drift_threshold}`);
  return [];
}

/** Final, and stronger than any other end: what was revoked was not to be relied upon, expired or not. */
function revoked(companions: Companions, { data, timestamp }: EventOf<'companion_revoked'>): string[] {
  const { attestation, reason } = data;
  const entry = own(companions, attestation);
  if (!entry) return [`attestation ${attestation} is revoked but not known`];
  if (entry.status !== 'revoked') end(entry, 'revoked', timestamp, reason);
  return [];
}

function end(entry: Registered, status: 'revoked' | 'superseded', ended_at: string, reason: string): void {
  Object.assign(entry, { status, ended_at, reason });
}
