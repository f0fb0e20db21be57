import { type Case, type Check, failed, passed, warning } from '../check.ts';
import { type Problem, problem, shorten } from '../problem.ts';
import { isCheckLate, type Status, statusAt } from '../registry.ts';

/** By the ledger where it has the attestation, else by its own dates: then nobody could have revoked it yet. */
export function statusOf({ attestation, id, registry, now }: Case): Status {
  const entry = registry?.byId(id);
  return statusAt(entry ?? { status: 'active', expires_at: attestation.expires_at }, now);
}

export const checkLifeCycle: Check = (given) => {
  const status = statusOf(given);
  if (status !== 'active') return failed(endOf(given, status));
  const entry = given.registry?.byId(given.id);
  if (entry && isCheckLate(entry, knownUntil(given))) {
    const last =
      entry.checked_at === null
        ? 'There was no drift check yet'
        : `The last drift check was at ${entry.checked_at}`;
    const due = `${last}; one is due every ${entry.check_interval}.`;
    return warning(problem('drift_check_late', ['drift_monitoring', 'check_interval'], due));
  }
  return passed(`It is active until ${shorten(given.attestation.expires_at)}.`);
};

/** Ms since 1970: a check that came after what the registry knows of is not late. */
function knownUntil({ registry, now }: Case): number {
  const asOf = registry?.asOf ?? null;
  return asOf === null ? now : Math.min(now, Date.parse(asOf));
}

function endOf({ attestation, id, registry }: Case, status: Exclude<Status, 'active'>): Problem {
  if (status === 'expired')
    return problem('expired', ['expires_at'], `It expired at ${shorten(attestation.expires_at)}.`);
  const { ended_at, reason } = registry!.byId(id)!;
  return problem(status, [], `It was ${status} at ${ended_at}: ${reason}`);
}
