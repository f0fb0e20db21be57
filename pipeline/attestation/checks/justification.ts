import { justificationHash } from '../canonical-bytes.ts';
import { type Check, failed, notChecked, passed } from '../check.ts';
import { problem } from '../problem.ts';

export const checkJustification: Check = ({ document, attestation }) => {
  const { epicon_ej } = document;
  if (epicon_ej === undefined) return notChecked('The justification itself is not in the document.');
  const found = justificationHash(epicon_ej);
  if (found === attestation.epicon_ej_hash.toLowerCase())
    return passed('The justification has the hash that is signed.');
  return failed(problem('hash_mismatch', ['epicon_ej_hash'], `The hash of epicon_ej is ${found}.`));
};
