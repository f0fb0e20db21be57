import { hexToBytes } from '@noble/hashes/utils.js';
import { decodeBase64 } from '../../ledger/notes/base64.ts';
import { SCHEMES, SIGNATURE_BYTES } from '../algorithms.ts';
import { type Case, type Check, failed, notChecked, passed, warning } from '../check.ts';
import { type CompanionKey, isValidAt, keysOf } from '../companions.ts';
import { addSeconds, compareInstants, parseInstant } from '../instant.ts';
import { problem, quote } from '../problem.ts';
import { MAX_AHEAD_SECONDS } from './validity.ts';

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

export const checkSignature: Check = (given) => {
  const { message, attestation, companions } = given;
  const { attested_by, attested_at, signature_algorithm, signature } = attestation;
  const bytes = decodeBase64(signature);
  if (bytes?.length !== SIGNATURE_BYTES) return failed(problem('signature_malformed', ['signature']));
  const attested = parseInstant(attested_at);
  const keys = (keysOf(companions, attested_by) ?? []).filter(
    (key) => key.algorithm === signature_algorithm && isValidAt(key, attested),
  );
  if (keys.length === 0) return notChecked('No key is available to verify it.');
  const { fault } = SCHEMES[signature_algorithm];
  // During a rotation, two keys are valid at once.
  const faults = keys.map(({ public_key }) => fault(bytes, message, hexToBytes(public_key)));
  const signers = keys.filter((_, index) => faults[index] === null);
  if (signers.length === 0) return failed(problem(faults[0]!, ['signature']));
  const ended = signers.every((key) => hadEnded(key, given)) ? signers[0]!.valid_until : undefined;
  if (ended !== undefined) return warning(problem('key_ended', ['attested_at'], endedWords(ended, given)));
  return passed(`The ${signature_algorithm} signature is the companion’s.`);
};

/** Whether the key had ended when the ledger registered the attestation. Someone else may have had it by then. */
function hadEnded({ valid_until }: CompanionKey, { id, registry }: Case): boolean {
  const entry = registry?.byId(id);
  if (!entry || valid_until === undefined) return false;
  const last = addSeconds(parseInstant(valid_until), MAX_AHEAD_SECONDS);
  return compareInstants(parseInstant(entry.attested_at), last) >= 0;
}

function endedWords(valid_until: string, { id, registry }: Case): string {
  const { attested_at } = registry!.byId(id)!;
  return `The signature is the companion’s, by a key that ended at ${valid_until}; the ledger registered the attestation at ${attested_at}.`;
}
