import { type Case, type Check, failed, passed, warning } from '../check.ts';
import { addSeconds, compareInstants, instantAt, parseInstant } from '../instant.ts';
import { type Problem, problem, shorten } from '../problem.ts';
import type { Registered, Status } from '../registered.ts';
import { driftReason, isCheckOverdue, knownUntil, type Registry, statusAt } from '../registry.ts';

type Life = Pick<Registered, 'status' | 'expires_at' | 'ended_at' | 'reason'>;

/** From the ledger's entry or, without one, from the document's dates and any revocation that the ledger recorded in advance. */
export function statusOf(given: Case): Status {
  return statusAt(lifeOf(given), given.now);
}

function lifeOf({ attestation, id, registry }: Case): Life {
  const entry = registry?.byId(id);
  if (entry) return entry;
  const active: Life = {
    status: 'active',
    expires_at: attestation.expires_at,
    ended_at: null,
    reason: null,
  };
  return registry ? { ...active, ...earlyEnd(registry.unattested(id), attestation) } : active;
}

/** The revocation that will apply as soon as the ledger registers it; null if none. */
function earlyEnd(
  early: ReturnType<Registry['unattested']>,
  { expires_at, drift_monitoring: { enabled, threshold } }: Case['attestation'],
): Partial<Life> | null {
  for (const { ended_at, reason } of early)
    if (ended_at !== null) return { status: 'revoked', ended_at, reason };
  for (const { drift, checked_at } of early) {
    const reason = drift === null ? null : driftReason(drift, enabled ? threshold : null);
    if (reason !== null && isBefore(checked_at!, expires_at))
      return { status: 'revoked', ended_at: checked_at, reason };
  }
  return null;
}

/** An expired attestation is no longer revoked for drift. */
function isBefore(time: string, end: string): boolean {
  return compareInstants(parseInstant(time), parseInstant(end)) < 0;
}

export const checkLifeCycle: Check = (given) => {
  const status = statusOf(given);
  if (status !== 'active') return failed(endOf(given, status));
  const entry = given.registry?.byId(given.id);
  if (given.registry && entry && isCheckOverdue(entry, knownUntil(given.now, given.registry))) {
    const last =
      entry.checked_at === null
        ? 'There has been no drift check yet'
        : `The last drift check was at ${entry.checked_at}`;
    const due = `${last}; one is due every ${entry.check_interval}.`;
    return warning(problem('drift_check_late', ['drift_monitoring', 'check_interval'], due));
  }
  return passed(`It is active until ${shorten(given.attestation.expires_at)}.`);
};

function endOf(given: Case, status: Exclude<Status, 'active'>): Problem {
  if (status === 'expired')
    return problem('expired', ['expires_at'], `It expired at ${shorten(given.attestation.expires_at)}.`);
  const { ended_at, reason } = lifeOf(given);
  const why = reason === null ? '; the ledger’s event of that time says why.' : `: ${reason}`;
  return problem(status, [], `It was ${status} at ${ended_at}${why}`);
}

/** 90 days of 86 400 seconds. */
export const MAX_VALIDITY_SECONDS = 7_776_000;
/** How far a companion's clock may be ahead of the verifier's, seconds. */
export const MAX_AHEAD_SECONDS = 300;

export const checkPeriod: Check = ({ attestation, now }) => {
  const attested = parseInstant(attestation.attested_at);
  const expires = parseInstant(attestation.expires_at);
  const problems = [];
  if (compareInstants(expires, attested) <= 0)
    problems.push(problem('expires_before_attested', ['expires_at']));
  if (compareInstants(expires, addSeconds(attested, MAX_VALIDITY_SECONDS)) > 0)
    problems.push(problem('validity_too_long', ['expires_at']));
  if (compareInstants(attested, addSeconds(instantAt(now), MAX_AHEAD_SECONDS)) > 0)
    problems.push(problem('attested_in_future', ['attested_at']));
  if (problems.length > 0) return failed(...problems);
  return passed(`It was attested at ${shorten(attestation.attested_at)}, for at most 90 days.`);
};
