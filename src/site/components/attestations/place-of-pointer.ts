import type { Places } from '../../../../pipeline/attestation/read-json.ts';
import type { Range } from '../../../../pipeline/ledger/json.ts';

/**
 * What a problem at `pointer` is about in the text of a document: the value with its name, of what is missing the object that it
 * is missing in, and of a text that is no JSON what its reading stopped at. Null for the whole.
 */
export function placeOfPointer({ values, stop }: Places, pointer: string): Range | null {
  if (stop) return stop;
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const range = values.get(at);
    if (range) return range;
  }
  return null;
}
