import { sentinelCoordination } from '../../artifacts/academics/sentinel-coordination.ts';
import { metricsByDay } from '../../artifacts/philosophy/metrics-by-day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatNumber, formatScore, formatSome } from '../../words/number.ts';
import { defineChart } from '../chart.ts';
import { column } from '../chart-table.ts';
import { type Bin, binDays, daysBetween, END_OF_STEP, inRange, stepFor } from '../drawing/days.ts';
import { shortNumber } from '../drawing/label.ts';
import { round } from './flows.ts';

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

export const consensus = defineChart<{ days: Day[]; asOf: string }>({
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
    const days: Day[] = [...files.read(metricsByDay)];
    const { timestamp: asOf, consensus_rate } = files.read(sentinelCoordination);
    const date = asOf.slice(0, 10);
    if (date > (days.at(-1)?.date ?? ''))
      days.push({ date, consensus_rate, deliberations_closed: null, consensus_reached: null });
    return { days, asOf };
  },
  days: ({ days }) => days,
  asOf: ({ asOf }) => asOf,
  isMissing: ({ days }) =>
    days.every((day) => day.consensus_rate === null && (day.deliberations_closed ?? 0) === 0),
  view(data, state) {
    const inside = inRange(data.days, state);
    const step = stepFor(daysBetween(inside));
    const days = binDays(inside, step).flatMap(endsOf);
    return {
      title: 'How often deliberations end in consensus',
      unit: `Above: share of the deliberations closed in the last 30 days that reached consensus, ${END_OF_STEP[step]}. Below: how many were closed`,
      columns: [
        column('date', 'Day'),
        column('consensus_rate', 'Consensus rate', 'share'),
        column('deliberations_closed', 'Closed in the last 30 days', 'count'),
        column('consensus_reached', 'Of those, with consensus', 'count'),
      ],
      rows: days.map(({ date, consensus_rate: rate, deliberations_closed, consensus_reached }) => [
        date,
        rate === null ? null : round(rate),
        deliberations_closed,
        consensus_reached,
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
              format: (value) => formatNumber(value, 1),
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
              // There are no half deliberations: such a rule has no label.
              format: (value) => (Number.isInteger(value) ? shortNumber(value) : ''),
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
