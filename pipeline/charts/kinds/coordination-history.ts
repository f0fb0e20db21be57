import { sentinelsByDay } from '../../artifacts/academics/sentinels-by-day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatChange, formatNumber } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { binDays, daysBetween, END_OF_STEP, inRange, type Step, stepFor } from '../drawing/days.ts';
import { type Panel, panels, panelsHeight } from '../drawing/panels.ts';
import { type ChartTheme, cathedralColour, THEMES } from '../drawing/theme.ts';
import { cathedralSeries, chosenSeries } from '../series.ts';

interface Row {
  date: string;
  sentinel: string;
  cathedral: string;
  score: number;
}

interface Line {
  sentinel: string;
  cathedral: string;
  points: { date: string; value: number }[];
}

interface Shown {
  lines: readonly Line[];
  from: string;
  to: string;
  step: Step;
}

/** With ten lines per panel, days would be 200 kB; weeks show the same. */
const MAX_DAYS = 120;

const sentinelsOf = (rows: readonly Row[]) => [...new Set(rows.map(({ sentinel }) => sentinel))].sort();
const seriesOf = (rows: readonly Row[]) => sentinelsOf(rows).map((name) => ({ name, label: name }));

export const coordinationHistory = defineChart<Row[], Shown>({
  id: 'coordination-history',
  area: 'academics',
  name: 'Coordination over time',
  sources: [sentinelsByDay],
  controls: ['series', 'from', 'to'],
  prepare: (files) =>
    files
      .read(sentinelsByDay)
      .flatMap(({ date, sentinel, cathedral, coordination_score: score }) =>
        score === null ? [] : [{ date, sentinel, cathedral, score }],
      ),
  series: seriesOf,
  asOf: (rows) => rows.at(-1)?.date ?? '',
  show(rows, state) {
    const inside = inRange(rows, state);
    const step = stepFor(daysBetween(inside), MAX_DAYS);
    const bySentinel = Map.groupBy(inside, ({ sentinel }) => sentinel);
    const lines = chosenSeries(seriesOf(rows), state).flatMap(({ name }) => {
      const own = bySentinel.get(name) ?? [];
      const last = own.at(-1);
      return last ? [{ sentinel: name, cathedral: last.cathedral, points: pointsOf(own, step) }] : [];
    });
    return { lines, from: inside[0]?.date ?? '', to: inside.at(-1)?.date ?? '', step };
  },
  isEmpty: ({ lines }) => lines.length === 0,
  missing: {
    nothing: 'There is no day yet at whose end a sentinel had attested its work.',
    types: ['sentinel_registered', 'attestation'],
    wholeDays: true,
  },
  title: () => 'Coordination score over time, by cathedral and sentinel',
  unit: ({ step }) => `Points, as last attested ${END_OF_STEP[step]}`,
  summary({ lines, from, to }) {
    if (from === to) return [scoresOn(from, lines)];
    const changes = lines
      .map(({ sentinel, points }) => ({ sentinel, change: points.at(-1)!.value - points[0]!.value }))
      .sort((a, b) => b.change - a.change);
    const [most, least] = [changes[0]!, changes.at(-1)!];
    const said = lines.length > 1 ? [most, least] : [most];
    const changed = said.map(({ sentinel, change }) => `that of ${sentinel} by ${formatChange(change, 1)}`);
    const isSame = formatChange(most.change, 1) === formatChange(least.change, 1);
    const range =
      lines.length > 1 && isSame
        ? `each score changed by ${formatChange(most.change, 1)} points`
        : lines.length > 1
          ? `the changes of the scores, in points, lie between ${formatList(changed.toReversed())}`
          : `the score of ${most.sentinel} changed by ${formatChange(most.change, 1)} points`;
    return [`From ${formatDay(from)} to ${formatDay(to)}, ${range}.`];
  },
  table: ({ lines }) => ({
    columns: [
      { name: 'date', title: 'Day', unit: '' },
      { name: 'sentinel', title: 'Sentinel', unit: '' },
      { name: 'cathedral', title: 'Cathedral', unit: '' },
      { name: 'coordination_score', title: 'Coordination score', unit: 'points' },
    ],
    rows: lines.flatMap(({ sentinel, cathedral, points }) =>
      points.map(({ date, value }) => [date, sentinel, cathedral, value]),
    ),
  }),
  plotHeight: (shown, width) => panelsHeight(panelsOf(shown, THEMES.light).length, width),
  plot: (shown, plot) =>
    panels(
      panelsOf(shown, plot.theme),
      { ...shown, format: (value) => formatNumber(value), fromZero: true },
      plot,
    ),
});

function scoresOn(date: string, lines: readonly Line[]): string {
  const scores = lines.map(
    ({ sentinel, points }) => `${sentinel} had ${formatNumber(points.at(-1)!.value, 1)}`,
  );
  return `At the end of ${formatDay(date)}, ${formatList(scores)} points.`;
}

function pointsOf(rows: readonly Row[], step: Step) {
  return binDays(rows, step).map((bin) => ({ date: bin.to, value: bin.rows.at(-1)!.score }));
}

function panelsOf({ lines }: Shown, theme: ChartTheme): Panel[] {
  return cathedralSeries(lines.map(({ cathedral }) => cathedral)).map(({ name, label }) => ({
    title: label,
    colour: cathedralColour(theme, name),
    lines: lines
      .filter(({ cathedral }) => cathedral === name)
      .map(({ sentinel, points }) => ({ text: sentinel, points })),
  }));
}
