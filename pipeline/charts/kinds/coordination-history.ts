import { sentinelsByDay } from '../../artifacts/academics/sentinels-by-day.ts';
import { daysFrom } from '../../words/day.ts';
import { formatNumber, formatSome } from '../../words/number.ts';
import { type Annotation, defineChart, MOST_ANNOTATIONS } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import { END_OF_STEP, endsOf } from '../drawing/days.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { cathedralKey, cathedralSeries, namedSeries } from '../series.ts';

interface Row {
  date: string;
  sentinel: string;
  cathedral: string;
  score: number;
  /** Whether the worst status of the day was offline. */
  offline: boolean;
}

interface Line {
  sentinel: string;
  cathedral: string;
  points: readonly Row[];
}

export const coordinationHistory = defineChart({
  id: 'coordination-history',
  area: 'academics',
  name: 'Coordination over time',
  sources: [sentinelsByDay],
  controls: ['series', 'from', 'to'],
  missing: {
    nothing: 'There is no day yet at whose end a sentinel had attested its work.',
    types: ['sentinel_registered', 'attestation'],
    wholeDays: true,
  },
  prepare: (files): Row[] =>
    files
      .read(sentinelsByDay)
      .flatMap(({ date, sentinel, cathedral, status, coordination_score: score }) =>
        score === null ? [] : [{ date, sentinel, cathedral, score, offline: status === 'offline' }],
      ),
  series: (rows) => namedSeries(rows.map(({ sentinel }) => sentinel)),
  days: (rows) => rows,
  // With ten lines per panel, days would be 200 kB; weeks show the same.
  mostDays: 120,
  view(_, { series, days, step }) {
    const own = Map.groupBy(days, ({ sentinel }) => sentinel);
    const lines = series.flatMap(({ name }): Line[] => {
      const points = endsOf(own.get(name) ?? [], step);
      return points.length === 0 ? [] : [{ sentinel: name, cathedral: points.at(-1)!.cathedral, points }];
    });
    return {
      title: 'Coordination score over time, by cathedral and sentinel',
      unit: `Points, as last attested ${END_OF_STEP[step]}${lines.length > 1 ? '. Grey: the other sentinels' : ''}`,
      ...tableOf(
        // A sentinel's line has the colour of its newest cathedral.
        lines.flatMap(({ cathedral, points }) => points.map((point) => ({ ...point, cathedral }))),
        [
          ['date', 'Day'],
          ['sentinel', 'Sentinel'],
          ['cathedral', 'Cathedral'],
          ['coordination_score', 'Coordination score', 'points', ({ score }) => score],
        ],
      ),
      finding: () => finding(lines, days[0]!.date === days.at(-1)!.date),
      annotations: () => fallsOf(lines.map(({ sentinel }) => own.get(sentinel)!)),
      mark: () => ({
        kind: 'over-time',
        panels: true,
        key: cathedralKey(lines),
        panes: [
          {
            mark: 'lines',
            unit: 'Points',
            // Those of a cathedral side by side.
            drawn: cathedralSeries(lines.map(({ cathedral }) => cathedral)).flatMap(({ name }) =>
              lines
                .filter(({ cathedral }) => cathedral === name)
                .map(({ sentinel, points }) => ({
                  column: 'coordination_score',
                  of: sentinel,
                  label: sentinel,
                  text: formatNumber(points.at(-1)!.score, 1),
                  colour: cathedralColour(name),
                })),
            ),
          },
        ],
      }),
    };
  },
});

/** A smaller change is no news on a scale of about a hundred points. */
const LEAST_CHANGE = 1;

/** How many scores are higher or lower than at their own start. */
function finding(lines: readonly Line[], isOneDay: boolean): string | null {
  if (isOneDay || lines.length < 2) return null;
  const changes = lines.map(({ points }) => points.at(-1)!.score - points[0]!.score);
  const up = changes.filter((change) => change >= LEAST_CHANGE).length;
  const down = changes.filter((change) => change <= -LEAST_CHANGE).length;
  const count = Math.max(up, down);
  if (up === down || count === 0) return null;
  const some = formatSome(count, lines.length, 'coordination scores', ['is', 'are']);
  return `${some} ${up > down ? 'higher' : 'lower'} than at the start`;
}

/** A tenth of the way to the highest reward. A smaller fall hardly shows. */
const LEAST_FALL = 10;
/** A sentinel attests its work within two days after it is back. */
const DAYS_AFTER = 2;

/** The deepest falls of scores during days in a row on which their sentinel was offline, oldest first. */
function fallsOf(bySentinel: readonly (readonly Row[])[]): Annotation[] {
  const falls = bySentinel.flatMap((rows) =>
    rows.flatMap(({ offline, date, sentinel }, index) => {
      const before = rows[index - 1];
      if (!offline || !before || before.offline) return [];
      const end = rows.findIndex((row, at) => at > index && !row.offline);
      const last = end < 0 ? rows.length : end;
      const after = Math.min(...rows.slice(index, last + DAYS_AFTER).map(({ score }) => score));
      return [{ sentinel, from: date, to: rows[last - 1]!.date, before: before.score, after }];
    }),
  );
  return falls
    .filter(({ before, after }) => before - after >= LEAST_FALL)
    .sort((a, b) => b.before - b.after - (a.before - a.after))
    .slice(0, MOST_ANNOTATIONS)
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.sentinel < b.sentinel ? -1 : 1))
    .map(({ sentinel, from, to, before, after }) => {
      const days = daysFrom(from, to);
      const label = `${sentinel} offline${days === 1 ? '' : ` for ${days} days`}; from ${formatNumber(before)} to ${formatNumber(after)} points`;
      return { day: from, end: to, of: sentinel, label };
    });
}
