import { sentinelsByDay } from '../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { defineChart } from '../../../pipeline/charts/chart.ts';
import { tableOf } from '../../../pipeline/charts/chart-table.ts';
import { daysBetween, END_OF_STEP, endsOf, stepFor } from '../../../pipeline/charts/drawing/days.ts';
import { cathedralColour } from '../../../pipeline/charts/drawing/theme.ts';
import { uptime } from '../../../pipeline/charts/kinds/uptime.ts';
import { namedSeries } from '../../../pipeline/charts/series.ts';
import { formatNumber, formatScore } from '../../../pipeline/words/number.ts';
import { perRelease } from '../layout/release.ts';

/** The data for the charts on every sentinel's page, read once. */
export const sentinelCharts = perRelease((release) => ({
  scores: scoreHistory.open(release),
  uptime: uptime.open(release),
}));

interface Row {
  date: string;
  sentinel: string;
  cathedral: string;
  score: number;
  integrity: number;
}

const MAX_DAYS = 120;

/** Both scores of one sentinel over time; `series` names the sentinel. */
const scoreHistory = defineChart<Row[], Row>({
  id: 'score-history',
  area: 'academics',
  name: 'Scores of a sentinel',
  sources: [sentinelsByDay],
  controls: ['series'],
  missing: {
    nothing: 'The sentinel has not attested its work yet, or not for a whole day.',
    types: ['attestation'],
    wholeDays: true,
  },
  prepare: (files) =>
    files
      .read(sentinelsByDay)
      .flatMap(({ date, sentinel, cathedral, coordination_score: score, gi_score: integrity }) =>
        score === null || integrity === null ? [] : [{ date, sentinel, cathedral, score, integrity }],
      ),
  series: (rows) => namedSeries(rows.map(({ sentinel }) => sentinel)),
  asOf: (rows) => rows.at(-1)?.date ?? '',
  isMissing: (rows) => rows.length === 0,
  view(rows, { state: { series } }) {
    const own = rows.filter(({ sentinel }) => series?.includes(sentinel));
    const step = stepFor(daysBetween(own), MAX_DAYS);
    const ends = endsOf(own, step);
    return {
      title: 'Scores over time',
      unit: `As last attested ${END_OF_STEP[step]}`,
      ...tableOf(ends, [
        ['date', 'Day'],
        ['coordination_score', 'Coordination score', 'points', ({ score }) => score],
        ['gi_score', 'Integrity score', 'share', ({ integrity }) => integrity],
      ]),
      mark() {
        const { cathedral, score, integrity } = ends.at(-1)!;
        const colour = cathedralColour(cathedral);
        return {
          kind: 'over-time',
          panes: [
            {
              mark: 'lines',
              unit: 'Coordination score, points',
              drawn: [
                { column: 'coordination_score', label: 'Coordination', text: formatNumber(score, 1), colour },
              ],
            },
            {
              mark: 'lines',
              unit: 'Integrity score, share',
              leastSpan: 0.02,
              limits: [0, 1],
              drawn: [{ column: 'gi_score', label: 'Integrity', text: formatScore(integrity), colour }],
            },
          ],
        };
      },
    };
  },
});
