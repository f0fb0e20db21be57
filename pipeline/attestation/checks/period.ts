import { type Check, failed, passed } from '../check.ts';
import { addSeconds, compareInstants, instantAt, parseInstant } from '../instant.ts';
import { problem, shorten } from '../problem.ts';

/** 90 days of 86 400 seconds. */
export const MAX_VALIDITY_SECONDS = 7_776_000;
/** How far a companion's clock may be ahead of ours. */
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
