import { CathedralError } from '../../../../pipeline/errors.ts';
import { parseVerifierKey, type Verifier } from '../../../../pipeline/ledger/note.ts';
import { MOST_KEYS } from '../../../../pipeline/release/format/public-manifest.ts';
import { NothingToCheck } from './steps.ts';

const LONGEST = 400 * MOST_KEYS;

/**
 * The keys that stand in a field of the page, one a line: the only ones that are ever trusted. Throws NothingToCheck with
 * config_invalid, for none too: without a key nothing is shown of what it would verify.
 */
export function keysIn(field: HTMLTextAreaElement): Verifier[] {
  const lines = field.value
    .slice(0, LONGEST)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const place = `the field “${field.labels[0]?.firstChild?.textContent?.trim() ?? field.id}”`;
  const refused = (expected: string, found: string) =>
    new NothingToCheck(new CathedralError('config_invalid', { place, expected, found }));
  if (lines.length === 0) throw refused('a key, name+id+base64', 'nothing');
  return lines.map((line) => {
    try {
      return parseVerifierKey(line);
    } catch (error) {
      if (!(error instanceof CathedralError)) throw error;
      throw refused(error.expected, error.found);
    }
  });
}
