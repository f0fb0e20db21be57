import { metricsByDay } from '../../artifacts/philosophy/metrics-by-day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatScore, formatSome } from '../../words/number.ts';
import { defineChart } from '../chart.ts';
import { round, tableOf } from '../chart-table.ts';
import { END_OF_STEP, endsOf } from '../drawing/days.ts';
import { shortNumber } from '../drawing/label.ts';

interface Day {
  date: string;
  /** Null if no deliberation was closed in the thirty days. */
  consensus_rate: number | null;
  deliberations_closed: number;
  consensus_reached: number;
}

export const consensus = defineChart({
  id: 'consensus',
  area: 'philosophy',
  name: 'Consensus rate',
  sources: [metricsByDay],
  controls: ['from', 'to'],
  missing: {
    nothing: 'There is no whole day yet on which a deliberation was closed.',
    types: ['deliberation_closed'],
    wholeDays: true,
  },
  prepare: (files) => files.read(metricsByDay),
  days: (days) => days,
  isMissing: (days) => days.every(({ deliberations_closed: closed }) => closed === 0),
  view(_, { days: chosen, step }) {
    const days = endsOf(chosen, step);
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
        'There is no rate if none was closed in 30 days. Rate and counts end at the last whole day, so the current rate may be another one.',
      mark() {
        const {
          consensus_rate: rate,
          deliberations_closed: closed,
          consensus_reached: reached,
        } = days.at(-1)!;
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
                  text: shortNumber(closed),
                  colour: 'muted',
                  dash: true,
                },
                {
                  column: 'consensus_reached',
                  label: 'Consensus',
                  text: shortNumber(reached),
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

function finding(days: readonly Day[]): string | null {
  const { date, deliberations_closed: closed, consensus_reached: reached } = days.at(-1)!;
  if (closed < 2) return null;
  const what = `deliberations closed in the 30 days up to ${formatDay(date)}`;
  return `${formatSome(reached, closed, what, ['reached', 'reached'])} consensus`;
}
