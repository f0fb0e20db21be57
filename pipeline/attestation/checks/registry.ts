import { durationSeconds } from '../../words/duration.ts';
import { attestationUuid } from '../canonical-bytes.ts';
import { type Case, type Check, failed, notChecked, passed, warning } from '../check.ts';
import { addSeconds, compareInstants, instantAt, parseInstant } from '../instant.ts';
import { type ProblemCode, problem } from '../problem.ts';
import type { Registered } from '../registered.ts';
import { isOlder, isRenewable } from '../registry.ts';
import { MAX_AHEAD_SECONDS } from './validity.ts';

export const checkRenewal: Check = (given) => {
  const { attestation, id, registry } = given;
  const uuid = attestation.metadata?.previous_attestation?.toLowerCase();
  if (uuid === undefined) return passed('It renews no other attestation.');
  if (uuid === attestationUuid(id)) return refused('previous_is_itself');
  if (registry === null)
    return notChecked('Without a ledger, the attestation that it renews cannot be checked.');
  const entry = registry.byId(id);
  const renews = entry?.renews ?? null;
  // The ledger checked the renewal when it registered this one. What has become of the previous one since does not matter.
  if (renews !== null && attestationUuid(renews) === uuid) return passed(`It renews ${renews}.`);
  if (renews !== null) return refused('registration_differs', `In the ledger it renews ${renews}.`);
  const known = registry.byUuid(uuid);
  const takenAt = entry ? parseInstant(entry.attested_at) : instantAt(given.now);
  const previous = known && isRenewable(known, takenAt) ? known : null;
  if (previous === null && isOlder(attestation.attested_at, registry))
    return notChecked(
      `The attestation that it renews is unknown: the registry has none that expired before ${registry.since}.`,
    );
  const code = previous === null ? 'previous_unknown' : faultOf(given, previous, entry);
  if (code !== null) return refused(code);
  if (entry !== null) return refused('registration_differs', 'In the ledger it renews no other attestation.');
  return passed(`It renews ${previous!.id}.`);
};

/** Why the ledger refuses the renewal, in the order in which the ledger checks. */
function faultOf(
  { attestation, id }: Case,
  previous: Registered,
  entry: Registered | null,
): ProblemCode | null {
  const isOfSame =
    previous.companion === attestation.attested_by &&
    previous.ledger_id.toLowerCase() === attestation.ledger_id.toLowerCase();
  if (!isOfSame) return 'previous_of_another';
  if (previous.status === 'revoked' && !isTakenBefore(entry, previous.ended_at!)) return 'previous_revoked';
  return previous.superseded_by === null || previous.superseded_by === id ? null : 'previous_superseded';
}

/** By the ledger's clock only: attested_at is the companion's claim and could predate any revocation. */
function isTakenBefore(entry: Registered | null, time: string): boolean {
  return entry !== null && compareInstants(parseInstant(entry.attested_at), parseInstant(time)) < 0;
}

function refused(code: ProblemCode, detail?: string) {
  return failed(problem(code, ['metadata', 'previous_attestation'], detail));
}

/** Member of the document → whether the ledger has the same value. */
const SAME: Readonly<Record<string, (given: Case['attestation'], entry: Registered) => boolean>> = {
  attested_by: (given, entry) => given.attested_by === entry.companion,
  ledger_id: (given, entry) => given.ledger_id.toLowerCase() === entry.ledger_id.toLowerCase(),
  scope: (given, entry) => JSON.stringify(given.scope) === JSON.stringify(entry.scope),
  risk_level: (given, entry) => given.risk_level === entry.risk_level,
  expires_at: (given, entry) =>
    compareInstants(parseInstant(given.expires_at), parseInstant(entry.expires_at)) === 0,
  // The ledger cannot have registered it before it was signed.
  attested_at: (given, entry) =>
    compareInstants(
      parseInstant(given.attested_at),
      addSeconds(parseInstant(entry.attested_at), MAX_AHEAD_SECONDS),
    ) <= 0,
  drift_monitoring: ({ drift_monitoring: { enabled, threshold } }, entry) =>
    entry.drift_threshold === (enabled ? threshold : null),
  'drift_monitoring/check_interval': ({ drift_monitoring: { enabled, check_interval } }, entry) =>
    !enabled || durationSeconds(check_interval) === durationSeconds(entry.check_interval),
  // If the document names a previous attestation, the renewal check covers it.
  'metadata/previous_attestation': ({ metadata }, entry) =>
    metadata?.previous_attestation !== undefined || entry.renews === null,
};

export const checkRegistration: Check = ({ attestation, id, registry }) => {
  if (registry === null) return notChecked('No ledger was consulted.');
  const entry = registry.byId(id);
  if (entry === null && isOlder(attestation.expires_at, registry))
    return notChecked(`The registry has no attestation that expired before ${registry.since}.`);
  if (entry === null) return warning(problem('not_registered', []));
  const different = Object.keys(SAME).filter((name) => !SAME[name]!(attestation, entry));
  if (different.length === 0) return passed(`The ledger registered it at ${entry.attested_at}.`);
  return failed(
    ...different.map((place) => {
      const path = place.split('/');
      return problem('registration_differs', path, `The ledger has a different ${path.at(-1)}.`);
    }),
  );
};
