import { MAX_AHEAD_SECONDS, MAX_VALIDITY_SECONDS } from '../attestation/checks/validity.ts';
import { addSeconds, compareInstants, parseInstant } from '../attestation/instant.ts';
import {
  driftReason,
  idsByUuid,
  isAttestationId,
  isCheckOverdue,
  isRenewable,
  keptSince,
  namesOf,
  REGISTRY_RETENTION_DAYS,
  type Registered,
  type Registry,
  registryOf,
  revokedByUuid,
  statusAt,
  type Unattested,
} from '../attestation/registry.ts';
import type { EventOf, LedgerEvent } from '../ledger/event.ts';
import { own } from './own.ts';
import { timeOf, windowStart } from './window.ts';

/** How long a reason is kept: whoever revokes has a document, which is for 90 days at most and kept as long after its end. */
const UNATTESTED_DAYS = 90 + REGISTRY_RETENTION_DAYS;

/**
 * Drops from `state` itself the attestations that expired long ago, and what was said long ago of such as never came; that one
 * was revoked, or how far it had drifted, is never forgotten. So the state grows by some 150 bytes with each revocation.
 */
export function forgetCompanions({ companions, unattested, remembered }: CompanionState, asOf: string): void {
  const oldest = windowStart(asOf, REGISTRY_RETENTION_DAYS);
  for (const [id, { status, ended_at, expires_at }] of Object.entries(companions)) {
    if (timeOf(expires_at) >= oldest) continue;
    delete companions[id];
    if (status === 'revoked') remembered[id] = { ended_at, reason: null, drift: null, checked_at: null };
  }
  const first = windowStart(asOf, UNATTESTED_DAYS);
  for (const [name, said] of Object.entries(unattested)) {
    if (timeSaid(said) >= first) continue;
    delete unattested[name];
    remembered[name] = { ...said, reason: null };
  }
}

function timeSaid({ ended_at, checked_at }: Unattested): number {
  return timeOf((ended_at ?? checked_at)!);
}

/** Companion Attestations that the ledger has, by id: the SHA-256 of the signed bytes, in hex. */
export type Companions = Record<string, Registered>;

export interface CompanionState {
  companions: Companions;
  /** By the name that the ledger used, an id or a UUID in lower case. */
  unattested: Record<string, Unattested>;
  /**
   * What has left the two above and counts for good, by the same names: nothing but an event tells that a document was
   * revoked, and one that bears a later date is not expired by then. Without reasons, so that each takes little.
   */
  remembered: Record<string, Unattested>;
}

/** What a verifier asks, of the state of a ledger as of its newest event; `asOf` is empty for a ledger of no events. */
export function registryOfState(state: CompanionState & { asOf: string }): Registry {
  const { companions, remembered, asOf } = state;
  const unattested = { ...remembered, ...state.unattested };
  return registryOf(companions, asOf === '' ? { unattested } : { since: keptSince(asOf), asOf, unattested });
}

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
 * What the event changes, which is done to `state` itself; what it contradicts is returned in words, for a finding. An event
 * that contradicts the rules has happened and counts as far as it can, but it never ends another's attestation.
 */
export function applyCompanionEvent(state: CompanionState, event: CompanionEvent): string[] {
  const id = idOf(state.companions, event.data.attestation);
  if (event.type === 'companion_attested') return attested(state, id, event);
  return event.type === 'companion_drift' ? drift(state, id, event) : revoked(state, id, event);
}

/** What an event calls an attestation, by its id or UUID in either case; any other name stays as it is. */
function idOf(companions: Companions, name: string): string {
  const lower = name.toLowerCase();
  if (isAttestationId(lower)) return lower;
  return idsByUuid(companions).get(lower) ?? (UUID.test(lower) ? lower : name);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function attested(state: CompanionState, id: string, event: EventOf<'companion_attested'>): string[] {
  const { companions } = state;
  // The first stands: a second one could revive what was revoked.
  if (own(companions, id)) return [`attestation ${id} is attested a second time`];
  const entry = entryOf(event);
  const findings = [...periodFindings(id, event), ...renew(companions, id, event, entry)];
  companions[id] = entry;
  return [...findings, ...settle(state, id, entry)];
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

function periodFindings(id: string, { data, timestamp }: EventOf<'companion_attested'>): string[] {
  const from = parseInstant(timestamp);
  const until = parseInstant(data.expires_at);
  // The companion's clock, by which the 90 days are counted, may be ahead of the ledger's.
  const last = addSeconds(from, MAX_VALIDITY_SECONDS + MAX_AHEAD_SECONDS);
  const isPeriod = compareInstants(from, until) < 0 && compareInstants(until, last) <= 0;
  return isPeriod ? [] : [`attestation ${id} is not for a time of at most 90 days`];
}

const UNKNOWN = `which the ledger does not have, or which expired more than ${REGISTRY_RETENTION_DAYS} days before`;

/** The one before is superseded, if it is the same companion's for the same entity and nobody took its place yet. */
function renew(
  companions: Companions,
  id: string,
  { data, timestamp }: EventOf<'companion_attested'>,
  entry: Registered,
): string[] {
  if (data.previous_attestation === undefined) return [];
  const previousId = idOf(companions, data.previous_attestation);
  if (namesOf(id).includes(previousId)) return [`attestation ${id} renews itself`];
  const previous = own(companions, previousId);
  // One that expired long ago may be there or forgotten, by when it was last looked at: neither is renewed.
  const isKnown = previous !== undefined && isRenewable(previous, parseInstant(timestamp));
  const fault = isKnown ? renewalFault(previous, entry) : UNKNOWN;
  if (!isKnown || fault !== null) return [`attestation ${id} renews ${previousId}, ${fault}`];
  entry.renews = previousId;
  previous.superseded_by = id;
  if (statusAt(previous, Date.parse(timestamp)) === 'active')
    end(previous, 'superseded', timestamp, `renewed by ${id}`);
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

/** What came before the attestation itself counts from then on, so that no order of the events loses a revocation. */
function settle(state: CompanionState, id: string, entry: Registered): string[] {
  for (const { ended_at, reason, drift, checked_at } of namesOf(id).flatMap((name) => take(state, name))) {
    if (drift !== null) score(entry, drift, checked_at!);
    if (ended_at !== null) end(entry, 'revoked', ended_at, reason);
  }
  for (const { ended_at, reason } of revokedByUuid(state.companions, id))
    end(entry, 'revoked', ended_at!, reason);
  return entry.status === 'revoked' ? [`attestation ${id} was revoked before it was attested`] : [];
}

function drift(state: CompanionState, id: string, { data, timestamp }: EventOf<'companion_drift'>): string[] {
  const entry = own(state.companions, id);
  if (entry) {
    score(entry, data.score, timestamp);
    return [];
  }
  const early = unattestedOf(state, id);
  if (early.drift === null || data.score > early.drift)
    Object.assign(early, { drift: data.score, checked_at: timestamp });
  return [`a drift score of attestation ${id}, which is not known`];
}

/** A score at or above the threshold revokes: nobody has to act on it. */
function score(entry: Registered, value: number, at: string): void {
  if (isCheckOverdue(entry, Date.parse(at))) entry.late_checks += 1;
  Object.assign(entry, { drift: value, checked_at: at });
  const reason = driftReason(value, entry.drift_threshold);
  if (reason !== null && statusAt(entry, Date.parse(at)) === 'active') end(entry, 'revoked', at, reason);
}

/** Final, and stronger than any other end: what was revoked was not to be relied upon, expired or not. */
function revoked(
  state: CompanionState,
  id: string,
  { data, timestamp }: EventOf<'companion_revoked'>,
): string[] {
  const entry = own(state.companions, id);
  if (entry) {
    if (entry.status !== 'revoked') end(entry, 'revoked', timestamp, data.reason);
    return [];
  }
  const early = unattestedOf(state, id);
  if (early.ended_at === null) Object.assign(early, { ended_at: timestamp, reason: data.reason });
  return [`attestation ${id} is revoked but not known`];
}

function unattestedOf(state: CompanionState, id: string): Unattested {
  const known = take(state, id)[0] ?? { ended_at: null, reason: null, drift: null, checked_at: null };
  state.unattested[id] = known;
  return known;
}

/** What is known of that name without there being an attestation, if anything is; it is not kept under the name any more. */
function take({ unattested, remembered }: CompanionState, name: string): Unattested[] {
  const known = own(unattested, name) ?? own(remembered, name);
  delete unattested[name];
  delete remembered[name];
  return known ? [known] : [];
}

function end(
  entry: Registered,
  status: 'revoked' | 'superseded',
  ended_at: string,
  reason: string | null,
): void {
  Object.assign(entry, { status, ended_at, reason });
}
