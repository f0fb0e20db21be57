import { sentinelsByDay } from '../../artifacts/academics/sentinels-by-day.ts';
import { daysFrom } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatChange, formatNumber } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type Annotation, defineChart, MOST_ANNOTATIONS, type Series } from '../chart.ts';
import { listHeight } from '../drawing/annotations.ts';
import { binDays, daysBetween, END_OF_STEP, inRange, type Step, stepFor } from '../drawing/days.ts';
import type { LegendItem } from '../drawing/label.ts';
import { type Panel, panels, panelsHeight } from '../drawing/panels.ts';
import { type ChartTheme, cathedralColour, THEMES } from '../drawing/theme.ts';
import { cathedralSeries, chosenSeries } from '../series.ts';

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
  points: { date: string; value: number }[];
}

/** A score that fell while its sentinel was offline. */
interface Fall {
  sentinel: string;
  from: string;
  to: string;
  /** The score before, and the lowest until two days after. */
  before: number;
  after: number;
}

interface Shown {
  falls: readonly Fall[];
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
      .flatMap(({ date, sentinel, cathedral, status, coordination_score: score }) =>
        score === null ? [] : [{ date, sentinel, cathedral, score, offline: status === 'offline' }],
      ),
  series: seriesOf,
  days: (rows) => rows,
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
    const falls = lines.flatMap(({ sentinel }) => fallsOf(sentinel, bySentinel.get(sentinel)!));
    return { lines, falls: worst(falls), from: inside[0]?.date ?? '', to: inside.at(-1)?.date ?? '', step };
  },
  isEmpty: ({ lines }) => lines.length === 0,
  missing: {
    nothing: 'There is no day yet at whose end a sentinel had attested its work.',
    types: ['sentinel_registered', 'attestation'],
    wholeDays: true,
  },
  title: () => 'Coordination score over time, by cathedral and sentinel',
  unit: ({ lines, step }) =>
    `Points, as last attested ${END_OF_STEP[step]}${lines.length > 1 ? '. Grey: the other sentinels' : ''}`,
  finding,
  annotations: ({ falls }) => falls.map(annotationOf),
  summary({ lines, from, to }) {
    if (from === to) return [scoresOn(from, lines)];
    const changes = lines
      .map(({ sentinel, points }) => ({ sentinel, change: points.at(-1)!.value - points[0]!.value }))
      .sort((a, b) => b.change - a.change);
    const [most, least] = [changes[0]!, changes.at(-1)!];
    const said = lines.length > 1 ? [most, least] : [most];
    const changed = said.map(({ sentinel, change }) => `${formatChange(change, 1)} (${sentinel})`);
    const isSame = formatChange(most.change, 1) === formatChange(least.change, 1);
    const range =
      lines.length > 1 && isSame
        ? `each score changed by ${formatChange(most.change, 1)} points`
        : lines.length > 1
          ? `the scores changed by between ${formatList(changed.toReversed())} points`
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
  plotHeight: (shown, width) =>
    panelsHeight(shown.lines.length, width, keyOf(shown, THEMES.light)) +
    listHeight(shown.falls.map(annotationOf), width),
  plot: (shown, plot) =>
    panels(
      panelsOf(shown, plot.theme),
      {
        ...shown,
        format: (value) => formatNumber(value),
        unit: 'Points',
        key: keyOf(shown, plot.theme),
        annotations: shown.falls.map((fall) => ({ ...annotationOf(fall), of: fall.sentinel })),
      },
      plot,
    ),
});

/** A tenth of the way to the highest reward. A smaller fall hardly shows. */
const LEAST_FALL = 10;
/** A sentinel attests its work within two days after it is back. */
const DAYS_AFTER = 2;

/** The falls during the days in a row on which a sentinel was offline. Rows of one sentinel, oldest first. */
function fallsOf(sentinel: string, rows: readonly Row[]): Fall[] {
  const falls: Fall[] = [];
  for (const [index, { offline, date }] of rows.entries()) {
    const before = rows[index - 1];
    if (!offline || !before || before.offline) continue;
    const end = rows.findIndex((row, at) => at > index && !row.offline);
    const last = end < 0 ? rows.length : end;
    const after = Math.min(...rows.slice(index, last + DAYS_AFTER).map(({ score }) => score));
    if (before.score - after >= LEAST_FALL)
      falls.push({ sentinel, from: date, to: rows[last - 1]!.date, before: before.score, after });
  }
  return falls;
}

/** The deepest falls, oldest first. */
function worst(falls: readonly Fall[]): Fall[] {
  return falls
    .toSorted((a, b) => b.before - b.after - (a.before - a.after))
    .slice(0, MOST_ANNOTATIONS)
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : a.sentinel < b.sentinel ? -1 : 1));
}

function annotationOf({ sentinel, from, to, before, after }: Fall): Annotation {
  const days = daysFrom(from, to);
  return {
    day: from,
    end: to,
    label: `${sentinel} offline${days === 1 ? '' : ` for ${days} days`}; from ${formatNumber(before)} to ${formatNumber(after)} points`,
  };
}

/** A smaller change is no news on a scale of about a hundred points. */
const LEAST_CHANGE = 1;

/** How many scores are higher or lower than at their own start. */
function finding({ lines, from, to }: Shown): string | null {
  if (from === to || lines.length < 2) return null;
  const changes = lines.map(({ points }) => points.at(-1)!.value - points[0]!.value);
  const [up, down] = [
    changes.filter((change) => change >= LEAST_CHANGE).length,
    changes.filter((change) => change <= -LEAST_CHANGE).length,
  ];
  const count = Math.max(up, down);
  if (up === down || count === 0) return null;
  const who =
    count === lines.length
      ? `All ${formatNumber(count)} coordination scores`
      : `${formatNumber(count)} of ${formatNumber(lines.length)} coordination scores`;
  return `${who} ${count === 1 ? 'is' : 'are'} ${up > down ? 'higher' : 'lower'} than at the start`;
}

function scoresOn(date: string, lines: readonly Line[]): string {
  const scores = lines.map(
    ({ sentinel, points }) => `${sentinel} had ${formatNumber(points.at(-1)!.value, 1)}`,
  );
  return `At the end of ${formatDay(date)}, ${formatList(scores)} points.`;
}

function pointsOf(rows: readonly Row[], step: Step) {
  return binDays(rows, step).map((bin) => ({ date: bin.to, value: bin.rows.at(-1)!.score }));
}

function cathedralsOf({ lines }: Shown): Series[] {
  return cathedralSeries(lines.map(({ cathedral }) => cathedral));
}

function keyOf(shown: Shown, theme: ChartTheme): LegendItem[] {
  return cathedralsOf(shown).map(({ name, label }) => ({
    text: label,
    colour: cathedralColour(theme, name),
  }));
}

/** A panel for each sentinel, those of a cathedral side by side. */
function panelsOf(shown: Shown, theme: ChartTheme): Panel[] {
  return cathedralsOf(shown).flatMap(({ name }) =>
    shown.lines
      .filter(({ cathedral }) => cathedral === name)
      .map(({ sentinel, points }) => ({
        title: sentinel,
        text: formatNumber(points.at(-1)!.value, 1),
        colour: cathedralColour(theme, name),
        points,
        column: 'coordination_score',
        of: sentinel,
      })),
  );
}
