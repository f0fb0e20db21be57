import { eventsByDay } from '../../artifacts/academics/events-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatSpan } from '../../words/moment.ts';
import { formatCount, formatNumber, formatPercent } from '../../words/number.ts';
import { capitalise, formatList, formatToken } from '../../words/phrase.ts';
import { defineChart, type Series } from '../chart.ts';
import { type Flow, flowColumns, flowOf, flowTable } from '../drawing/columns.ts';
import { daysBetween, HATCHED, inRange, MEAN_OF_STEP, partialWords, stepFor } from '../drawing/days.ts';
import { timePlotHeight } from '../drawing/plot.ts';
import { chosenSeries } from '../series.ts';

type Row = Content<typeof eventsByDay>[number];

interface Shown extends Flow {
  total: number;
  /** By the name of each chosen type. */
  counts: ReadonlyMap<string, number>;
  days: number;
}

const MAX_DAYS = 120;
const LEAST_SHARE = 1 / 3;
/** One for each of the colours of parts but the last; rarer types are added up. */
const MOST_TYPES = 5;
const REST = 'rest';
/** How files by day count events of unknown types. */
const UNKNOWN = 'other';

const seriesOf = (rows: readonly Row[]) =>
  [...new Set(rows.map(({ event_type }) => event_type))]
    .sort()
    .map((name) => ({ name, label: capitalise(formatToken(name)) }));

export const events = defineChart<readonly Row[], Shown>({
  id: 'events',
  area: 'academics',
  name: 'Ledger events by type',
  sources: [eventsByDay],
  controls: ['series', 'from', 'to'],
  prepare: (files) => files.read(eventsByDay),
  series: seriesOf,
  days: (rows) => rows,
  asOf: (rows) => rows.at(-1)?.date ?? '',
  show(rows, state) {
    const chosen = chosenSeries(seriesOf(rows), state);
    const inside = inRange(rows, state);
    const { series, isShown, counts } = frequent(inside, chosen);
    const step = stepFor(daysBetween(inside), MAX_DAYS);
    const amount = ({ event_type, events }: Row) => ({
      name: isShown(event_type) ? event_type : chosen.some(({ name }) => name === event_type) ? REST : '',
      value: events,
    });
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return { ...flowOf(inside, step, series, amount), total, counts, days: daysBetween(inside) };
  },
  isEmpty: ({ total }) => total === 0,
  missing: {
    nothing: 'No day of the ledger is over yet.',
    types: [],
    wholeDays: true,
  },
  title: () => 'Events written to the ledger per day, by type',
  /** The most frequent type, if it is a third of the events or more. */
  finding({ counts, total, series }) {
    const [most, count] = [...counts].toSorted(([, a], [, b]) => b - a)[0]!;
    if (counts.size < 2 || count / total < LEAST_SHARE) return null;
    const label = series.find(({ name }) => name === most)!.label;
    return `${formatPercent(count / total, 0)} of the ${formatNumber(total)} events were of the type “${label}”`;
  },
  unit: ({ step }) => `Events per day, ${MEAN_OF_STEP[step]}`,
  note: ({ bins, step, series }) =>
    [
      partialWords(bins, step, HATCHED),
      ...(series.some(({ name }) => name === UNKNOWN)
        ? ['“Other” are the types that this service does not know; the audited export has them by name.']
        : []),
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
  summary({ bins, series, values, total, days }) {
    const sums = series.map(({ label }, index) => ({
      label,
      perDay:
        bins.reduce(
          (sum, bin, at) => sum + values[at]![index]! * daysBetween([{ date: bin.from }, { date: bin.to }]),
          0,
        ) / days,
    }));
    return [
      `${formatSpan(bins[0]!.from, bins.at(-1)!.to)}, the ledger got ${formatCount(total, 'event')} of the types shown${days === 1 ? '' : `, ${formatNumber(total / days, 1)} a day`}.`,
      `${days === 1 ? 'By type' : 'Per day'}: ${formatList(sums.map(({ label, perDay }) => `${label} ${formatNumber(perDay, days === 1 ? 0 : 1)}`))}.`,
    ];
  },
  table: (shown) => flowTable(shown, 'events per day'),
  plotHeight: (_, width) => timePlotHeight(width),
  plot: (shown, plot) => {
    const { parts } = plot.theme;
    const colours = shown.series.map(({ name }, index) => parts[name === REST ? MOST_TYPES : index]!);
    return flowColumns(shown, { colours, unit: 'Events per day' }, plot);
  },
});

/** The most frequent of the chosen types in descending order, and one series for the others. */
function frequent(rows: readonly Row[], chosen: readonly Series[]) {
  const counts = new Map(chosen.map(({ name }) => [name, 0]));
  for (const { event_type, events } of rows) {
    const sum = counts.get(event_type);
    if (sum !== undefined) counts.set(event_type, sum + events);
  }
  const present = chosen.filter(({ name }) => counts.get(name)! > 0);
  const sorted = present.toSorted((a, b) => counts.get(b.name)! - counts.get(a.name)!);
  const own = sorted.slice(0, MOST_TYPES);
  const others = sorted.length - own.length;
  const label = others === 1 ? sorted.at(-1)!.label : `${formatCount(others, 'other type')}`;
  const rest = others === 0 ? [] : [{ name: REST, label }];
  const names = new Set(own.map(({ name }) => name));
  return { series: [...own, ...rest], isShown: (name: string) => names.has(name), counts };
}
