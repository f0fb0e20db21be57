import { DAY_MS } from '../words/day.ts';
import { durationSeconds } from '../words/duration.ts';
import { attestationUuid } from './canonical-bytes.ts';
import { addSeconds, compareInstants, type Instant, instantAt, parseInstant } from './instant.ts';
import type { Registered, Status, Unattested } from './registered.ts';

/** Days for which the ledger's registry keeps an expired attestation. */
export const REGISTRY_RETENTION_DAYS = 90;
const YEAR_0_MS = Date.parse('0000-01-01T00:00:00Z');

/**
 * Whether an attestation can be renewed by one that the ledger registers at `time`. This ends when registries forget it, because
 * afterwards none could tell what renewed it.
 */
export function isRenewable({ expires_at }: Pick<Registered, 'expires_at'>, time: Instant): boolean {
  const end = addSeconds(parseInstant(expires_at), (REGISTRY_RETENTION_DAYS * DAY_MS) / 1000);
  return compareInstants(time, end) <= 0;
}

/** Start of a registry as of `asOf`: it has every attestation that expired at this time or later. */
export function registryStart(asOf: string): string {
  // Earlier years do not have four digits.
  return new Date(Math.max(Date.parse(asOf) - REGISTRY_RETENTION_DAYS * DAY_MS, YEAR_0_MS)).toISOString();
}

/** The ledger's attestations by id. */
export interface Registry extends AsOf {
  /** Attestations that expired before this may be missing; null if none is. */
  since: string | null;
  byId(id: string): Registered | null;
  /** By the UUID of the id, in either case. */
  byUuid(uuid: string): (Registered & { id: string }) | null;
  /** What was recorded without a registered attestation, by id or UUID in lower case. */
  unattested(name: string): readonly Unattested[];
}

export interface AsOf {
  /** Time of the newest known event; null if all are known. */
  asOf: string | null;
}

/**
 * The time of a verdict, ms: the verifier's clock, or the ledger's newest event if that is later. A clock behind an event is wrong and must
 * not make expired attestations valid.
 */
export function timeAtLeast(clock: number, { asOf }: AsOf): number {
  return asOf === null ? clock : Math.max(clock, Date.parse(asOf));
}

/** Ms since 1970. The registry knows nothing later, so a drift check that was due later does not count as overdue. */
export function knownUntil(now: number, { asOf }: AsOf): number {
  return asOf === null ? now : Math.min(now, Date.parse(asOf));
}

interface RegistryLimits extends Pick<Registry, 'since' | 'asOf'> {
  /** Looks up an id or a UUID in lower case. */
  unattested: Readonly<Record<string, Unattested>>;
}

export function registryOf(
  attestations: Readonly<Record<string, Registered>>,
  { since = null, asOf = null, unattested = {} }: Partial<RegistryLimits> = {},
): Registry {
  const ids = idsByUuid(attestations);
  const unattestedIds = idsByUuid(unattested);
  const byId = (id: string) => (Object.hasOwn(attestations, id) ? attestations[id]! : null);
  return {
    since,
    asOf,
    byId,
    byUuid(uuid) {
      const id = ids.get(uuid.toLowerCase());
      return id === undefined ? null : { ...byId(id)!, id };
    },
    unattested(name) {
      const id = unattestedIds.get(name) ?? name;
      const said = namesOf(id).flatMap((one) => (Object.hasOwn(unattested, one) ? [unattested[one]!] : []));
      return [...said, ...revokedByUuid(attestations, id)];
    },
  };
}

/** Ids by UUID in lower case. */
export function idsByUuid(attestations: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  // Attestations that a ledger names otherwise than by id have no UUID, and must not take one.
  const ids = Object.keys(attestations).filter(isAttestationId);
  return new Map(ids.map((id) => [attestationUuid(id), id]));
}

/** The names of an attestation in events: its id and, if it has one, its UUID. */
export function namesOf(id: string): string[] {
  return isAttestationId(id) ? [id, attestationUuid(id)] : [id];
}

/**
 * The revocation of an attestation that events name by its UUID. It is not registered under this id, but a revocation by UUID can only mean
 * this one.
 */
export function revokedByUuid(attestations: Readonly<Record<string, Registered>>, id: string): Registered[] {
  const [uuid] = namesOf(id).slice(1);
  const named = uuid !== undefined && Object.hasOwn(attestations, uuid) ? attestations[uuid]! : null;
  return named?.status === 'revoked' ? [named] : [];
}

/** Whether it is a lower-case SHA-256. */
export function isAttestationId(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** Status at `now`, ms. Revoked and superseded are final; others expire. */
export function statusAt(
  { status, expires_at }: Pick<Registered, 'status' | 'expires_at'>,
  now: number,
): Status {
  if (status !== 'active') return status;
  return compareInstants(instantAt(now), parseInstant(expires_at)) < 0 ? 'active' : 'expired';
}

/** The reason if a drift score revokes the attestation, which happens automatically; otherwise null. */
export function driftReason(score: number, threshold: number | null): string | null {
  if (threshold === null || score < threshold) return null;
  return `drift ${score} reached the threshold ${threshold}`;
}

/** Whether a drift check was due before `now`, ms, and is missing. Only active attestations need checks. */
export function isCheckOverdue(attestation: Registered, now: number): boolean {
  const { drift_threshold, check_interval, checked_at, attested_at } = attestation;
  if (drift_threshold === null || statusAt(attestation, now) !== 'active') return false;
  const due = addSeconds(parseInstant(checked_at ?? attested_at), durationSeconds(check_interval));
  return compareInstants(instantAt(now), due) > 0;
}

/** Whether the registry may have forgotten an attestation that expired or was superseded at `time`. */
export function isOlder(time: string, { since }: Registry): boolean {
  return since !== null && compareInstants(parseInstant(time), parseInstant(since)) < 0;
}

/**
 * What a registry has under an id or UUID, in either case, or under another name of its ledger, as written there: the attestation, the revocation if
 * that is all, or null. As of `clock`, ms, or the newest event if that is later.
 */
export function lookUpStatus(name: string, registry: Registry, clock: number) {
  const isOwn = registry.byId(name) !== null || registry.unattested(name).length > 0;
  const id = isOwn ? name : name.toLowerCase();
  const entry = registry.byId(id);
  const found = entry ? { ...entry, id } : registry.byUuid(id);
  const now = timeAtLeast(clock, registry);
  if (found) return { registered: true as const, ...describeStatus(found, now, knownUntil(now, registry)) };
  const revoked = registry.unattested(id).find(({ ended_at }) => ended_at !== null);
  return revoked ? describeRevoked(id, revoked) : null;
}

/** For an attestation of which only the revocation is known, because it is not registered yet or no longer listed. */
function describeRevoked(name: string, { ended_at, reason }: Unattested) {
  const [id, uuid] = isAttestationId(name) ? [name, attestationUuid(name)] : [null, name];
  return { registered: false as const, id, uuid, status: 'revoked' as const, ended_at, reason };
}

/**
 * The ledger's record as of `now`, ms, with everything that follows from the time. Drift checks due after `knownUntil`, ms, do not count as
 * overdue.
 */
export function describeStatus(
  attestation: Registered & { id: string },
  now: number,
  knownUntil: number = now,
) {
  const { id, status: _, ...rest } = attestation;
  return {
    id,
    uuid: attestationUuid(id),
    status: statusAt(attestation, now),
    ...rest,
    check_late: isCheckOverdue(attestation, Math.min(now, knownUntil)),
  };
}
