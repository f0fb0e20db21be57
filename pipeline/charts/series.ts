import { CATHEDRALS } from '../ledger/events/vocabulary.ts';
import { formatCathedral } from '../words/phrase.ts';
import type { Series } from './chart.ts';
import type { KeyItem } from './drawing/label.ts';
import { cathedralColour } from './drawing/theme.ts';

/** The cathedrals in the data as series, in the order of the ledger's list. */
export function cathedralSeries(names: Iterable<string>): Series[] {
  const known: readonly string[] = CATHEDRALS;
  const rank = (name: string) => (known.includes(name) ? known.indexOf(name) : known.length);
  return [...new Set(names)]
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => ({ name, label: formatCathedral(name) }));
}

/** The meaning of the colours where the rows are coloured by cathedral. */
export function cathedralKey(rows: readonly { cathedral: string }[]): KeyItem[] {
  return cathedralSeries(rows.map(({ cathedral }) => cathedral)).map(({ name, label }) => ({
    text: label,
    colour: cathedralColour(name),
  }));
}

/** Series that are called by their names, each once and in the order of the alphabet. */
export function namedSeries(names: Iterable<string>): Series[] {
  return [...new Set(names)].sort().map((name) => ({ name, label: name }));
}
