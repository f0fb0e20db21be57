import { sentinelCoordination } from '../../artifacts/academics/sentinel-coordination.ts';
import { metricsByDay } from '../../artifacts/philosophy/metrics-by-day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatScore, formatSome } from '../../words/number.ts';
import { defineChart } from '../chart.ts';
import { round, tableOf } from '../chart-table.ts';
import { type Bin, binDays, END_OF_STEP, withToday } from '../drawing/days.ts';
import { shortNumber } from '../drawing/label.ts';

interface Day {
  date: string;
  /** Null if no deliberation was closed in the thirty days. */
  consensus_rate: number | null;
  /** Null for the current day, whose counts are published when it is over. */
  deliberations_closed: number | null;
  consensus_reached: number | null;
}

type Counted = Day & { deliberations_closed: number; consensus_reached: number };

const isCounted = (day: Day): day is Counted => day.deliberations_closed !== null;

export const consensus = defineChart({
  id: 'consensus',
  area: 'philosophy',
  name: 'Consensus rate',
  sources: [metricsByDay, sentinelCoordination],
  controls: ['from', 'to'],
  missing: {
    nothing: 'No deliberation has been closed yet.',
    types: ['deliberation_closed'],
    wholeDays: false,
  },
  prepare(files) {
    const { timestamp: asOf, consensus_rate } = files.read(sentinelCoordination);
    const today = { consensus_rate, deliberations_closed: null, consensus_reached: null };
    return { days: withToday<Day>(files.read(metricsByDay), { date: asOf.slice(0, 10), ...today }), asOf };
  },
  days: ({ days }) => days,
  asOf: ({ asOf }) => asOf,
  isMissing: ({ days }) =>
    days.every((day) => day.consensus_rate === null && (day.deliberations_closed ?? 0) === 0),
  view(_, { days: chosen, step }) {
    const days = binDays(chosen, step).flatMap(endsOf);
    return {
      title: 'How often deliberations end in consensus',
      unit: `Above: share of the deliberations closed in the last 30 days that reached consensus, ${END_OF_STEP[step]}. Below: how many were closed`,
      ...tableOf(days, [
        ['date', 'Day'],
        ['consensus_rate', 'Consensus rate', 'share', ({ consensus_rate: rate }) => round(rate)],
        ['deliberations_closed', 'Closed in the last 30 days', 'count'],
        ['consensus_reached', 'Of those, with consensus', 'count'],
      ]),
      finding: () => finding(days),
      note: () =>
        'There is no rate if none was closed in 30 days. The rate ends at the time of the release, the counts at the last whole day.',
      mark() {
        const rate = days.at(-1)!.consensus_rate;
        const last = days.findLast(isCounted);
        return {
          kind: 'over-time',
          panes: [
            {
              mark: 'lines',
              unit: 'Consensus rate, share',
              covers: [0, 1],
              limits: [0, 1],
              share: 0.56,
              drawn: [
                {
                  column: 'consensus_rate',
                  label: 'Rate',
                  ...(rate === null ? {} : { text: formatScore(rate) }),
                  colour: 'subject',
                },
              ],
            },
            {
              mark: 'lines',
              unit: 'Deliberations in 30 days',
              share: 0.44,
              drawn: [
                {
                  column: 'deliberations_closed',
                  label: 'Closed',
                  text: shortNumber(last?.deliberations_closed ?? 0),
                  colour: 'muted',
                  dash: true,
                },
                {
                  column: 'consensus_reached',
                  label: 'Consensus',
                  text: shortNumber(last?.consensus_reached ?? 0),
                  colour: 'subject',
                },
              ],
            },
          ],
        };
      },
    };
  },
});

/** The last row of a bin, and before the current day's also the last row that has counts. */
function endsOf({ rows }: Bin<Day>): Day[] {
  const [last, counted] = [rows.at(-1)!, rows.findLast(isCounted)];
  return counted && counted !== last ? [counted, last] : [last];
}

/** The newest counts, which are what the rate at the end is made of. */
function finding(days: readonly Day[]): string | null {
  const counted = days.findLast(isCounted);
  if (!counted || counted.deliberations_closed < 2) return null;
  const { deliberations_closed: closed, consensus_reached: reached } = counted;
  const what = `deliberations closed in the 30 days up to ${formatDay(counted.date)}`;
  return `${formatSome(reached, closed, what, ['reached', 'reached'])} consensus`;
}
