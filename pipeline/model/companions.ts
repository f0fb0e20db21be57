import { MAX_AHEAD_SECONDS, MAX_VALIDITY_SECONDS } from '../attestation/checks/validity.ts';
import { addSeconds, compareInstants, parseInstant } from '../attestation/instant.ts';
import type { Registered, Unattested } from '../attestation/registered.ts';
import {
  driftReason,
  idsByUuid,
  isAttestationId,
  isCheckOverdue,
  isRenewable,
  namesOf,
  REGISTRY_RETENTION_DAYS,
  type Registry,
  registryOf,
  registryStart,
  revokedByUuid,
  statusAt,
} from '../attestation/registry.ts';
import type { EventOf, LedgerEvent } from '../ledger/events/event.ts';
import { ownMember } from './own-member.ts';
import type { State } from './state.ts';
import { timeOf, windowStart } from './window.ts';

/**
 * How long the reason of a revocation is kept. Whoever revokes has a document, which is valid for at most 90 days and stays in the
 * registry for a while after that.
 */
const UNATTESTED_DAYS = 90 + REGISTRY_RETENTION_DAYS;

/**
 * Mutates `state`: drops attestations that expired long ago, and old statements about attestations that never came. Revocations and
 * drift scores are never forgotten, so the state grows by about 150 bytes per revocation.
 */
export function forgetCompanions({ companions, unattested, remembered }: CompanionState, asOf: string): void {
  const oldest = windowStart(asOf, REGISTRY_RETENTION_DAYS);
  for (const [id, { status, ended_at, expires_at }] of Object.entries(companions)) {
    if (timeOf(expires_at) >= oldest) continue;
    delete companions[id];
    if (status === 'revoked') remembered[id] = { ended_at, reason: null, drift: null, checked_at: null };
  }
  const first = windowStart(asOf, UNATTESTED_DAYS);
  for (const [name, statement] of Object.entries(unattested)) {
    if (statementTime(statement) >= first) continue;
    delete unattested[name];
    remembered[name] = { ...statement, reason: null };
  }
}

function statementTime({ ended_at, checked_at }: Unattested): number {
  return timeOf((ended_at ?? checked_at)!);
}

/** The companion attestations in the ledger by id, the SHA-256 of the signed bytes in hex. */
type Companions = Record<string, Registered>;

export type CompanionState = Pick<State, 'companions' | 'unattested' | 'remembered'>;

/** The registry that verifiers query, as of the newest event. `asOf` is empty if the ledger has no events. */
export function registryOfState(state: CompanionState & { asOf: string }): Registry {
  const { companions, remembered, asOf } = state;
  const unattested = { ...remembered, ...state.unattested };
  return registryOf(
    companions,
    asOf === '' ? { unattested } : { since: registryStart(asOf), asOf, unattested },
  );
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

/** The default if the event states no interval. */
const CHECK_INTERVAL = 'P1D';

/**
 * Applies the event to `state` itself and returns its contradictions as texts for findings. An event that breaks the rules still
 * counts as far as possible, but it never ends the attestation of another companion.
 */
export function applyCompanionEvent(state: CompanionState, event: CompanionEvent): string[] {
  const id = idOf(state.companions, event.data.attestation);
  if (event.type === 'companion_attested') return attested(state, id, event);
  return event.type === 'companion_drift' ? drift(state, id, event) : revoked(state, id, event);
}

/** The id of the attestation that an event names by id or UUID, in any case. Any other name is returned unchanged. */
function idOf(companions: Companions, name: string): string {
  const lower = name.toLowerCase();
  if (isAttestationId(lower)) return lower;
  return idsByUuid(companions).get(lower) ?? (UUID.test(lower) ? lower : name);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function attested(state: CompanionState, id: string, event: EventOf<'companion_attested'>): string[] {
  const { companions } = state;
  // The first one counts: a second one could revive a revoked attestation.
  if (ownMember(companions, id)) return [`attestation ${id} was already attested`];
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
  // The 90 days are counted by the companion's clock, which may be ahead of the ledger's.
  const last = addSeconds(from, MAX_VALIDITY_SECONDS + MAX_AHEAD_SECONDS);
  const isPeriod = compareInstants(from, until) < 0 && compareInstants(until, last) <= 0;
  return isPeriod ? [] : [`the validity of attestation ${id} is not between 0 and 90 days`];
}

const UNKNOWN = `which is not in the ledger or expired more than ${REGISTRY_RETENTION_DAYS} days earlier`;

/** Marks the predecessor as superseded if it has the same companion and entity and no successor yet. */
function renew(
  companions: Companions,
  id: string,
  { data, timestamp }: EventOf<'companion_attested'>,
  entry: Registered,
): string[] {
  if (data.previous_attestation === undefined) return [];
  const previousId = idOf(companions, data.previous_attestation);
  if (namesOf(id).includes(previousId)) return [`attestation ${id} renews itself`];
  const previous = ownMember(companions, previousId);
  // A predecessor that expired long ago may or may not have been dropped yet. It cannot be renewed in either case.
  const isKnown = previous !== undefined && isRenewable(previous, parseInstant(timestamp));
  const finding = isKnown ? renewalFinding(previous, entry) : UNKNOWN;
  if (!isKnown || finding !== null) return [`attestation ${id} renews ${previousId}, ${finding}`];
  entry.renews = previousId;
  previous.superseded_by = id;
  if (statusAt(previous, Date.parse(timestamp)) === 'active')
    end(previous, 'superseded', timestamp, `renewed by ${id}`);
  return [];
}

function renewalFinding(previous: Registered, entry: Registered): string | null {
  if (
    previous.companion !== entry.companion ||
    previous.ledger_id.toLowerCase() !== entry.ledger_id.toLowerCase()
  )
    return 'which has a different companion or ledger id';
  if (previous.status === 'revoked') return 'which was revoked';
  return previous.superseded_by === null ? null : 'which was already renewed';
}

/** Applies the revocations and drift scores that preceded the attestation, so that no order of events loses a revocation. */
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
  const entry = ownMember(state.companions, id);
  if (entry) {
    score(entry, data.score, timestamp);
    return [];
  }
  const early = unattestedOf(state, id);
  if (early.drift === null || data.score > early.drift)
    Object.assign(early, { drift: data.score, checked_at: timestamp });
  return [`drift score for unknown attestation ${id}`];
}

/** A score at or above the threshold revokes the attestation automatically. */
function score(entry: Registered, value: number, at: string): void {
  if (isCheckOverdue(entry, Date.parse(at))) entry.late_checks += 1;
  Object.assign(entry, { drift: value, checked_at: at });
  const reason = driftReason(value, entry.drift_threshold);
  if (reason !== null && statusAt(entry, Date.parse(at)) === 'active') end(entry, 'revoked', at, reason);
}

/** Revocation is final and overrides every other end: a revoked attestation was not trustworthy, whether it expired or not. */
function revoked(
  state: CompanionState,
  id: string,
  { data, timestamp }: EventOf<'companion_revoked'>,
): string[] {
  const entry = ownMember(state.companions, id);
  if (entry) {
    if (entry.status !== 'revoked') end(entry, 'revoked', timestamp, data.reason);
    return [];
  }
  const early = unattestedOf(state, id);
  if (early.ended_at === null) Object.assign(early, { ended_at: timestamp, reason: data.reason });
  return [`revocation of unknown attestation ${id}`];
}

function unattestedOf(state: CompanionState, id: string): Unattested {
  const known = take(state, id)[0] ?? { ended_at: null, reason: null, drift: null, checked_at: null };
  state.unattested[id] = known;
  return known;
}

/** Removes and returns what is known about a name that has no attestation. Empty if nothing is known. */
function take({ unattested, remembered }: CompanionState, name: string): Unattested[] {
  const known = ownMember(unattested, name) ?? ownMember(remembered, name);
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
