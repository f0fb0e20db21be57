import { durationSeconds } from '../../words/duration.ts';
import { type Case, type Check, failed, notChecked, passed, warning } from '../check.ts';
import { addSeconds, compareInstants, parseInstant } from '../instant.ts';
import { problem } from '../problem.ts';
import { isOlder, type Registered } from '../registry.ts';
import { MAX_AHEAD_SECONDS } from './period.ts';

/** Place in the document → whether the ledger has the same. */
const SAME: Readonly<Record<string, (given: Case['attestation'], entry: Registered) => boolean>> = {
  attested_by: (given, entry) => given.attested_by === entry.companion,
  ledger_id: (given, entry) => given.ledger_id.toLowerCase() === entry.ledger_id.toLowerCase(),
  scope: (given, entry) => JSON.stringify(given.scope) === JSON.stringify(entry.scope),
  risk_level: (given, entry) => given.risk_level === entry.risk_level,
  expires_at: (given, entry) =>
    compareInstants(parseInstant(given.expires_at), parseInstant(entry.expires_at)) === 0,
  // The ledger cannot have taken it before there was one.
  attested_at: (given, entry) =>
    compareInstants(
      parseInstant(given.attested_at),
      addSeconds(parseInstant(entry.attested_at), MAX_AHEAD_SECONDS),
    ) <= 0,
  drift_monitoring: ({ drift_monitoring: { enabled, threshold } }, entry) =>
    entry.drift_threshold === (enabled ? threshold : null),
  'drift_monitoring/check_interval': ({ drift_monitoring: { enabled, check_interval } }, entry) =>
    !enabled || durationSeconds(check_interval) === durationSeconds(entry.check_interval),
  // What a document that names one renews is looked at by the check of renewals.
  'metadata/previous_attestation': ({ metadata }, entry) =>
    metadata?.previous_attestation !== undefined || entry.renews === null,
};

export const checkRegistration: Check = ({ attestation, id, registry }) => {
  if (registry === null) return notChecked('No ledger was asked whether it has this attestation.');
  const entry = registry.byId(id);
  if (entry === null && isOlder(attestation.expires_at, registry))
    return notChecked(`The registry has nothing that expired before ${registry.since}.`);
  if (entry === null) return warning(problem('not_registered', []));
  const different = Object.keys(SAME).filter((name) => !SAME[name]!(attestation, entry));
  if (different.length === 0) return passed(`The ledger took it at ${entry.attested_at}.`);
  return failed(
    ...different.map((place) => {
      const path = place.split('/');
      return problem('registration_differs', path, `The ledger has another ${path.at(-1)}.`);
    }),
  );
};
