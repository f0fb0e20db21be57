import { sentinelsByDay } from '../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { defineChart } from '../../../pipeline/charts/chart.ts';
import {
  type Bin,
  binDays,
  daysBetween,
  END_OF_STEP,
  type Step,
  stepFor,
} from '../../../pipeline/charts/drawing/days.ts';
import { panels, panelsHeight } from '../../../pipeline/charts/drawing/panels.ts';
import { NARROW, type Plot, widthOf } from '../../../pipeline/charts/drawing/plot.ts';
import { cathedralColour } from '../../../pipeline/charts/drawing/theme.ts';
import { uptime } from '../../../pipeline/charts/kinds/uptime.ts';
import { formatDay } from '../../../pipeline/words/moment.ts';
import { formatChange, formatNumber, formatScore } from '../../../pipeline/words/number.ts';
import { perRelease } from '../layout/release.ts';
import { sentinelFiles } from './sentinels.ts';

/** The data for the charts on every sentinel's page, read once. */
export const sentinelCharts = perRelease((release) => {
  const files = sentinelFiles(release);
  return { scores: scoreHistory.prepare(files), uptime: uptime.prepare(files) };
});

interface Row {
  date: string;
  sentinel: string;
  cathedral: string;
  score: number;
  integrity: number;
}

interface Shown {
  cathedral: string;
  bins: readonly Bin<Row>[];
  step: Step;
}

const GUTTER = 36;
const MAX_DAYS = 120;
const SCORES = [
  {
    title: 'Coordination score',
    column: 'coordination_score',
    unit: 'Points',
    member: 'score',
    format: (value: number) => formatNumber(value),
    end: (value: number) => formatNumber(value, 1),
    scale: {},
  },
  {
    title: 'Integrity score',
    column: 'gi_score',
    unit: 'Share',
    member: 'integrity',
    format: (value: number) => formatNumber(value, 2),
    end: (value: number) => formatScore(value),
    scale: { leastSpan: 0.02, limits: [0, 1] },
  },
] as const;

/** Both scores of one sentinel over time; `series` names the sentinel. */
export const scoreHistory = defineChart<Row[], Shown>({
  id: 'score-history',
  area: 'academics',
  name: 'Scores of a sentinel',
  sources: [sentinelsByDay],
  controls: ['series'],
  prepare: (files) =>
    files
      .read(sentinelsByDay)
      .flatMap(({ date, sentinel, cathedral, coordination_score: score, gi_score: integrity }) =>
        score === null || integrity === null ? [] : [{ date, sentinel, cathedral, score, integrity }],
      ),
  series: (rows) => [...new Set(rows.map(({ sentinel }) => sentinel))].map((name) => ({ name, label: name })),
  asOf: (rows) => rows.at(-1)?.date ?? '',
  show(rows, { series }) {
    const own = rows.filter(({ sentinel }) => series?.includes(sentinel));
    const step = stepFor(daysBetween(own), MAX_DAYS);
    return { cathedral: own.at(-1)?.cathedral ?? '', bins: binDays(own, step), step };
  },
  isEmpty: ({ bins }) => bins.length === 0,
  isMissing: (rows) => rows.length === 0,
  missing: {
    nothing: 'There is no day yet at whose end the sentinel had attested its work.',
    types: ['attestation'],
    wholeDays: true,
  },
  title: () => 'Scores over time',
  unit: ({ step }) => `As last attested ${END_OF_STEP[step]}`,
  summary({ bins }) {
    const [first, last] = [bins[0]!.rows[0]!, bins.at(-1)!.rows.at(-1)!];
    if (first === last)
      return [
        `At the end of ${formatDay(last.date)} the coordination score was ${formatNumber(last.score, 1)} points, the integrity score ${formatNumber(last.integrity, 3)}.`,
      ];
    const between = `Between ${formatDay(first.date)} and ${formatDay(last.date)}`;
    return [
      `${between} the coordination score changed by ${formatChange(last.score - first.score, 1)} to ${formatNumber(last.score, 1)} points, the integrity score by ${formatChange(last.integrity - first.integrity, 3)} to ${formatNumber(last.integrity, 3)}.`,
    ];
  },
  table: ({ bins }) => ({
    columns: [
      { name: 'date', title: 'Day', unit: '' },
      { name: 'coordination_score', title: 'Coordination score', unit: 'points' },
      { name: 'gi_score', title: 'Integrity score', unit: 'share' },
    ],
    rows: bins.map((bin) => [bin.to, lastOf(bin).score, lastOf(bin).integrity]),
  }),
  plotHeight: (_, width) => (width < NARROW ? 2 : 1) * panelsHeight(1, width),
  plot,
});

function lastOf({ rows }: Bin<Row>): Row {
  return rows.at(-1)!;
}

/** The panels are side by side, or stacked in a narrow plot. They share no scale. */
function plot({ cathedral, bins }: Shown, { box, theme, id, onScale }: Plot): string[] {
  const isNarrow = widthOf(box) < NARROW;
  const width = isNarrow ? widthOf(box) : (widthOf(box) - GUTTER) / 2;
  const height = panelsHeight(1, width);
  const [from, to] = [bins[0]!.from, bins.at(-1)!.to];
  return SCORES.flatMap(({ title, column, unit, member, format, end, scale }, index) => {
    const left = isNarrow ? box.left : box.left + index * (width + GUTTER);
    const top = isNarrow ? box.top + index * height : box.top;
    const points = bins.map((bin) => ({ date: bin.to, value: lastOf(bin)[member] }));
    const colour = cathedralColour(theme, cathedral);
    return panels(
      [{ title, text: end(points.at(-1)!.value), colour, points, column }],
      { from, to, format, unit, ...scale },
      { box: { left, right: left + width, top, bottom: top + height }, theme, id, onScale },
    );
  });
}
