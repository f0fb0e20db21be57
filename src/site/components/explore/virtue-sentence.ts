import { VIRTUES } from '../../../../pipeline/ledger/event.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';
import type { Position } from './deliberations.ts';
import { inWords } from './in-words.ts';

/** Which virtues the reasons appeal to, the most named first; empty where none is named. */
export function virtueSentence(positions: readonly Position[]): string {
  const named = VIRTUES.map((virtue) => ({
    virtue,
    times: positions.filter(({ virtue_tags }) => virtue_tags.includes(virtue)).length,
  }))
    .filter(({ times }) => times > 0)
    .sort((a, b) => b.times - a.times);
  if (named.length === 0) return '';
  const parts = named.map(({ virtue, times }) => `${virtue} in ${inWords(times)}`);
  return `Of ${inWords(positions.length)} ${positions.length === 1 ? 'position' : 'positions'}, the reasons appeal to ${formatList(parts)}.`;
}
