import { eventsByDay } from '../../artifacts/academics/events-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatCount, formatNumber, formatPercent } from '../../words/number.ts';
import { capitalise, formatToken } from '../../words/phrase.ts';
import { defineChart, type Series } from '../chart.ts';
import { MEAN_OF_STEP } from '../drawing/days.ts';
import { namedSeries } from '../series.ts';
import { flowOf, flowTitle } from './flows.ts';

type Row = Content<typeof eventsByDay>[number];

const LEAST_SHARE = 1 / 3;
/** One for each of the colours of parts but the last; rarer types are added up. */
const MOST_TYPES = 5;
const REST = 'rest';
/** How files by day count events of unknown types. */
const UNKNOWN = 'other';

export const events = defineChart({
  id: 'events',
  area: 'academics',
  name: 'Ledger events by type',
  sources: [eventsByDay],
  controls: ['series', 'from', 'to'],
  missing: { nothing: 'No day of the ledger is over yet.', types: [], wholeDays: true },
  prepare: (files) => files.read(eventsByDay),
  series: (rows) =>
    namedSeries(rows.map(({ event_type }) => event_type)).map(({ name }) => ({
      name,
      label: capitalise(formatToken(name)),
    })),
  days: (rows) => rows,
  mostDays: 120,
  view(_, { series: chosen, days, step }) {
    const { series, nameOf, most } = frequent(days, chosen);
    const amount = ({ event_type, events }: Row) => ({ name: nameOf(event_type), value: events });
    const flow = flowOf({ days, step, series, amount, unit: 'events per day' });
    const total = flow.totals.reduce((sum, count) => sum + count, 0);
    return {
      title: flowTitle('Events written to the ledger per day', 'type', series),
      unit: `Events per day, ${MEAN_OF_STEP[step]}`,
      columns: flow.columns,
      rows: total === 0 ? [] : flow.rows,
      /** The most frequent type, if it is a third of the events or more. */
      finding() {
        const share = most.count / total;
        if (chosen.length < 2 || share < LEAST_SHARE) return null;
        return `${formatPercent(share, 0)} of the ${formatNumber(total)} events were of the type “${most.label}”`;
      },
      note() {
        const isUnknown = series.some(({ name }) => name === UNKNOWN);
        const unknown =
          '“Other” are the types that this service does not know; the audited export has them by name.';
        return [flow.note, ...(isUnknown ? [unknown] : [])].join(' ').trim();
      },
      mark() {
        const colours = series.map(
          ({ name }, index) => `part-${(name === REST ? MOST_TYPES : index) + 1}` as const,
        );
        return flow.mark(colours, 'Events per day');
      },
    };
  },
});

/** The most frequent of the chosen types in descending order, and one series for the others. */
function frequent(rows: readonly Row[], chosen: readonly Series[]) {
  const counts = new Map(chosen.map(({ name }) => [name, 0]));
  for (const { event_type, events } of rows) {
    const sum = counts.get(event_type);
    if (sum !== undefined) counts.set(event_type, sum + events);
  }
  const sorted = chosen
    .filter(({ name }) => counts.get(name)! > 0)
    .toSorted((a, b) => counts.get(b.name)! - counts.get(a.name)!);
  const own = sorted.slice(0, MOST_TYPES);
  const others = sorted.length - own.length;
  const label = others === 1 ? sorted.at(-1)!.label : formatCount(others, 'other type');
  const [first] = sorted;
  const nameOf = (type: string) =>
    own.some(({ name }) => name === type) ? type : counts.has(type) ? REST : '';
  return {
    series: others === 0 ? own : [...own, { name: REST, label }],
    nameOf,
    most: { label: first?.label ?? '', count: counts.get(first?.name ?? '') ?? 0 },
  };
}
