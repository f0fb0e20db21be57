import { CATHEDRALS } from '../ledger/events/vocabulary.ts';
import { formatCathedral } from '../words/phrase.ts';
import type { Series } from './chart.ts';
import type { ChartState } from './chart-state.ts';
import { type Colour, cathedralColour } from './drawing/theme.ts';

/** The cathedrals in the data as series, in the order of the ledger's list. */
export function cathedralSeries(names: Iterable<string>): Series[] {
  const known: readonly string[] = CATHEDRALS;
  const rank = (name: string) => (known.includes(name) ? known.indexOf(name) : known.length);
  return [...new Set(names)]
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => ({ name, label: formatCathedral(name) }));
}

/** The meaning of the colours where the rows are coloured by cathedral. */
export function cathedralKey(rows: readonly { cathedral: string }[]): { text: string; colour: Colour }[] {
  return cathedralSeries(rows.map(({ cathedral }) => cathedral)).map(({ name, label }) => ({
    text: label,
    colour: cathedralColour(name),
  }));
}

/** The series that the state names, in the chart's order. If it names none, all. */
export function chosenSeries<S extends Series>(all: readonly S[], { series }: ChartState): readonly S[] {
  return series === null ? all : all.filter(({ name }) => series.includes(name));
}
