import { hexToBytes } from '@noble/hashes/utils.js';
import { SCHEMES, SIGNATURE_BYTES } from '../algorithms.ts';
import { decodeBase64 } from '../base64.ts';
import { signedBytes } from '../canonical-bytes.ts';
import { type Check, failed, notChecked, passed } from '../check.ts';
import { isValidAt, keysOf } from '../companions.ts';
import { parseInstant } from '../instant.ts';
import { problem } from '../problem.ts';

export const checkSignature: Check = ({ document, attestation, companions }) => {
  const { attested_by, attested_at, signature_algorithm, signature } = attestation;
  const bytes = decodeBase64(signature);
  if (bytes?.length !== SIGNATURE_BYTES) return failed(problem('signature_malformed', ['signature']));
  const attested = parseInstant(attested_at);
  const keys = (keysOf(companions, attested_by) ?? []).filter(
    (key) => key.algorithm === signature_algorithm && isValidAt(key, attested),
  );
  if (keys.length === 0) return notChecked('There is no key to check it with.');
  const message = signedBytes(document);
  const { fault } = SCHEMES[signature_algorithm];
  // While keys are changed over, two are valid at once.
  const faults = keys.map(({ public_key }) => fault(bytes, message, hexToBytes(public_key)));
  if (faults.includes(null)) return passed(`The ${signature_algorithm} signature is that of the companion.`);
  return failed(problem(faults[0]!, ['signature']));
};
