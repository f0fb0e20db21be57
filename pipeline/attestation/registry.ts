import { durationSeconds } from '../words/duration.ts';
import { attestationUuid } from './canonical-bytes.ts';
import { addSeconds, compareInstants, type Instant, instantAt, parseInstant } from './instant.ts';

/** What the ledger says of an attestation; the times of events are in UTC. */
export interface Registered {
  companion: string;
  ledger_id: string;
  scope: readonly string[];
  risk_level: string;
  /** When the ledger took it. */
  attested_at: string;
  expires_at: string;
  /** Drift score at or above which it is revoked; null where drift is not monitored. */
  drift_threshold: number | null;
  check_interval: string;
  /** The newest score, and when it was taken. */
  drift: number | null;
  checked_at: string | null;
  /** Checks that came, and came late. */
  late_checks: number;
  status: 'active' | 'revoked' | 'superseded';
  ended_at: string | null;
  reason: string | null;
  /** The id of the one that took its place. */
  superseded_by: string | null;
  /** The id of the one whose place it took, which was in the ledger and could be renewed then. */
  renews: string | null;
}

/** What the ledger said of an attestation that it did not have yet: the first revocation, and the highest drift score. */
export type Unattested = Pick<Registered, 'ended_at' | 'reason' | 'drift' | 'checked_at'>;

export const STATUSES = ['active', 'expired', 'revoked', 'superseded'] as const;
export type Status = (typeof STATUSES)[number];

/** For how long after it has expired the ledger's own registry has an attestation. */
export const REGISTRY_RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;
const YEAR_0_MS = Date.parse('0000-01-01T00:00:00Z');

/**
 * Whether an attestation can still be renewed by one that the ledger takes at `time`: until it is forgotten, and no longer, since
 * of what every registry has forgotten none can say what renewed it.
 */
export function isRenewable({ expires_at }: Pick<Registered, 'expires_at'>, time: Instant): boolean {
  const end = addSeconds(parseInstant(expires_at), (REGISTRY_RETENTION_DAYS * DAY_MS) / 1000);
  return compareInstants(time, end) <= 0;
}

/** What a registry as of `asOf` begins with: all that expired at this time or later is in it. */
export function keptSince(asOf: string): string {
  // Earlier years have no four digits.
  return new Date(Math.max(Date.parse(asOf) - REGISTRY_RETENTION_DAYS * DAY_MS, YEAR_0_MS)).toISOString();
}

/** Attestations that the ledger has, by their ids. */
export interface Registry extends AsOf {
  /** What expired before may be missing; null where nothing is. */
  since: string | null;
  byId(id: string): Registered | null;
  /** By the UUID that stands for the id, in either case. */
  byUuid(uuid: string): (Registered & { id: string }) | null;
  /** What was said without there being an attestation of this id or UUID, in lower case, by either of the two. */
  unattested(name: string): readonly Unattested[];
}

export interface AsOf {
  /** Time of the newest event that it knows of; null where it knows of all. */
  asOf: string | null;
}

/**
 * The time at which verdicts are given, ms: the verifier's clock, or the newest event of the ledger where that is later. An event
 * has happened, so a clock behind it is wrong, and must make nothing valid that has expired.
 */
export function timeAtLeast(clock: number, { asOf }: AsOf): number {
  return asOf === null ? clock : Math.max(clock, Date.parse(asOf));
}

/** Ms since 1970: of what came later the registry knows nothing, so a drift check that was due later is not late. */
export function knownUntil(now: number, { asOf }: AsOf): number {
  return asOf === null ? now : Math.min(now, Date.parse(asOf));
}

interface RegistryLimits extends Pick<Registry, 'since' | 'asOf'> {
  /** By an id or a UUID in lower case. */
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

/** By the UUIDs that stand for them, in lower case, the ids of those that have one. */
export function idsByUuid(attestations: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  // What a ledger calls an attestation by another name than its id has no UUID, and must not take that of one.
  const ids = Object.keys(attestations).filter(isAttestationId);
  return new Map(ids.map((id) => [attestationUuid(id), id]));
}

/** What events may call an attestation: its id, and its UUID where it has one. */
export function namesOf(id: string): string[] {
  return isAttestationId(id) ? [id, attestationUuid(id)] : [id];
}

/**
 * What stands for this id where the ledger was told of an attestation by its UUID instead, if that was revoked: it is none of
 * this id, but nobody who revokes one means another.
 */
export function revokedByUuid(attestations: Readonly<Record<string, Registered>>, id: string): Registered[] {
  const [uuid] = namesOf(id).slice(1);
  const named = uuid !== undefined && Object.hasOwn(attestations, uuid) ? attestations[uuid]! : null;
  return named?.status === 'revoked' ? [named] : [];
}

/** Whether it has the form of a SHA-256 in lower case. */
export function isAttestationId(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** At `now`, ms. What was ended keeps how it was ended; what nobody ended expires by itself. */
export function statusAt(
  { status, expires_at }: Pick<Registered, 'status' | 'expires_at'>,
  now: number,
): Status {
  if (status !== 'active') return status;
  return compareInstants(instantAt(now), parseInstant(expires_at)) < 0 ? 'active' : 'expired';
}

/** Why a drift score revokes, of which nobody has to make anything; null where it does not. */
export function driftReason(score: number, threshold: number | null): string | null {
  if (threshold === null || score < threshold) return null;
  return `drift ${score} reached the threshold ${threshold}`;
}

/** Whether a drift check was due before `now`, ms, and did not come. Only what is active is to be checked. */
export function isCheckOverdue(attestation: Registered, now: number): boolean {
  const { drift_threshold, check_interval, checked_at, attested_at } = attestation;
  if (drift_threshold === null || statusAt(attestation, now) !== 'active') return false;
  const due = addSeconds(parseInstant(checked_at ?? attested_at), durationSeconds(check_interval));
  return compareInstants(instantAt(now), due) > 0;
}

/** Whether the registry may have forgotten what ended, or was ended by another one, at `time`. */
export function isOlder(time: string, { since }: Registry): boolean {
  return since !== null && compareInstants(parseInstant(time), parseInstant(since)) < 0;
}
