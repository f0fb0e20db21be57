import { type Check, failed, passed } from '../check.ts';
import { isValidAt, keysOf } from '../companions.ts';
import { parseInstant } from '../instant.ts';
import { problem, quote } from '../problem.ts';

export const checkCompanion: Check = ({ attestation, companions }) => {
  const { attested_by, attested_at, signature_algorithm } = attestation;
  const keys = keysOf(companions, attested_by);
  if (keys === null)
    return failed(
      problem('unknown_companion', ['attested_by'], `No companion ${quote(attested_by)} is registered.`),
    );
  const ofAlgorithm = keys.filter(({ algorithm }) => algorithm === signature_algorithm);
  if (ofAlgorithm.length === 0) {
    const detail = `${quote(attested_by)} has no key for ${signature_algorithm}.`;
    return failed(problem('algorithm_not_registered', ['signature_algorithm'], detail));
  }
  if (!ofAlgorithm.some((key) => isValidAt(key, parseInstant(attested_at))))
    return failed(problem('key_not_valid', ['attested_at']));
  return passed(
    `${quote(attested_by)} is registered with a key for ${signature_algorithm} that was valid then.`,
  );
};
