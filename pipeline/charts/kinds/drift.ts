import { scaleLinear } from 'd3';
import { driftAnalysis } from '../../artifacts/philosophy/drift-analysis.ts';
import { ownMember } from '../../model/own-member.ts';
import type { DIRECTIONS } from '../../model/queries/drift.ts';
import { formatChange, formatCount, formatNumber, formatScore } from '../../words/number.ts';
import { capitalise, formatList, formatToken } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { element } from '../drawing/element.ts';
import {
  BOLD,
  clipText,
  LABEL_SIZE,
  type LegendItem,
  label,
  legend,
  legendHeight,
  shortNumber,
  TICK_SIZE,
  textWidth,
} from '../drawing/label.ts';
import { type Plot, widthOf } from '../drawing/plot.ts';
import { type ChartTheme, THEMES } from '../drawing/theme.ts';
import { chosenSeries } from '../series.ts';

type Direction = (typeof DIRECTIONS)[number];

interface Trend {
  name: string;
  label: string;
  /** Null if there was nothing to measure, and before the first thirty days are over. */
  baseline: number | null;
  current: number | null;
  drift: number | null;
  direction: Direction;
}

interface Shown {
  /** The largest change first. */
  trends: readonly Trend[];
  score: number | null;
  status: string;
}

const ROW = 30;
const DIRECTION_ORDER = ['improving', 'worsening', 'stable'] as const;

export const drift = defineChart<Shown & { asOf: string }, Shown>({
  id: 'drift',
  area: 'philosophy',
  name: 'Drift by metric',
  sources: [driftAnalysis],
  controls: ['series'],
  prepare(files) {
    const { timestamp: asOf, drift_score: score, status, trends } = files.read(driftAnalysis);
    const named = trends.map(({ metric, ...rest }) => ({ name: metric, label: labelOf(metric), ...rest }));
    return { trends: named, score, status, asOf };
  },
  series: ({ trends }) => trends.map(({ name, label }) => ({ name, label })),
  asOf: ({ asOf }) => asOf,
  show: ({ trends, score, status }, state) => ({
    trends: chosenSeries(trends, state).toSorted((a, b) => sizeOf(b) - sizeOf(a)),
    score,
    status,
  }),
  isEmpty: ({ trends }) => trends.every(({ baseline, current }) => baseline === null && current === null),
  isMissing: ({ trends }) => trends.every(({ drift }) => drift === null),
  missing: {
    nothing:
      'There is no drift yet: it compares the last thirty days with the ledger’s first thirty, so it begins when those are over and something was measured in both.',
    types: [
      'mii_reading',
      'attestation',
      'mic_mint',
      'position_taken',
      'deliberation_closed',
      'decision_recorded',
      'policy_projected',
    ],
    wholeDays: false,
  },
  title: () => 'How far each metric has drifted',
  finding,
  unit: () =>
    'Each from 0 to 1, or above where it has no upper end: the ledger’s first thirty days, and the last thirty',
  summary,
  table: ({ trends }) => ({
    columns: [
      { name: 'metric', title: 'Metric', unit: '' },
      { name: 'baseline', title: 'First thirty days', unit: 'share' },
      { name: 'current', title: 'Last thirty days', unit: 'share' },
      { name: 'drift', title: 'Change', unit: 'share' },
      { name: 'direction', title: 'Direction', unit: '' },
    ],
    rows: trends.map(({ name, baseline, current, drift, direction }) => [
      name,
      baseline,
      current,
      drift,
      direction,
    ]),
  }),
  plotHeight: ({ trends }, width) => legendHeight(keyOf(THEMES.light), width) + trends.length * ROW + 22,
  plot,
});

/** How many of the metrics that were measured in both windows are worsening; a single one by its name. */
function finding({ trends }: Shown): string | null {
  const measured = trends.filter(({ drift }) => drift !== null);
  const worse = measured.filter(({ direction }) => direction === 'worsening');
  if (measured.length < 2) return null;
  const [only] = worse;
  if (!only) return `None of the ${formatNumber(measured.length)} metrics measured is worsening`;
  if (worse.length === 1)
    return `${only.label} is worsening, by ${formatScore(Math.abs(only.drift!))}; no other metric is`;
  return `${formatNumber(worse.length)} of the ${formatNumber(measured.length)} metrics measured are worsening, ${worse[0]!.label} most`;
}

/** Zero has a sign too, or it would read as the metric’s value. */
function driftWords(drift: number): string {
  const words = formatChange(drift, 3);
  return /^[+−]/.test(words) ? words : `±${words}`;
}

/** Unmeasured metrics come last. */
function sizeOf({ drift }: Trend): number {
  return drift === null ? -1 : Math.abs(drift);
}

function summary({ trends, score, status }: Shown): string[] {
  const [most] = trends;
  const count = (direction: Direction) => trends.filter((trend) => trend.direction === direction).length;
  const unmeasured = count('not_measured');
  if (score === null || !most || most.drift === null)
    return ['There is no drift score of the chosen metrics: they were not measured in both windows.'];
  return [
    `The drift score is ${formatScore(score)}: ${formatToken(status)}.`,
    `${most.label} changed most, from ${formatScore(most.baseline)} to ${formatScore(most.current)} (${formatChange(most.drift, 3)}).`,
    `Of ${formatCount(trends.length, 'metric')}, ${formatList(DIRECTION_ORDER.filter((direction) => count(direction) > 0).map((direction) => `${count(direction)} ${count(direction) === 1 ? 'is' : 'are'} ${direction}`))}${unmeasured > 0 ? `; for ${unmeasured} there was nothing to measure` : ''}.`,
  ];
}

const LABELS: Readonly<Record<string, string>> = {
  mean_gi_score: 'GI score',
  mean_coordination: 'Coordination ÷ 100',
};

function labelOf(metric: string): string {
  return ownMember(LABELS, metric) ?? capitalise(formatToken(metric));
}

function keyOf({ muted, subject, contrast }: ChartTheme): LegendItem[] {
  return [
    { text: 'First thirty days', colour: muted, shape: 'ring' },
    { text: 'Last thirty days', colour: subject, shape: 'circle' },
    { text: 'Last thirty days, worsening', colour: contrast, shape: 'circle' },
  ];
}

function plot({ trends }: Shown, { box, theme, onScale }: Plot): string[] {
  const key = legend(keyOf(theme), box, theme);
  const names = Math.min(
    Math.max(...trends.map((trend) => textWidth(trend.label, LABEL_SIZE))) + 8,
    widthOf(box) * 0.5,
  );
  const changes = trends.map(({ drift }) =>
    clipText(drift === null ? '–' : driftWords(drift), widthOf(box) * 0.25, LABEL_SIZE, BOLD),
  );
  const room = Math.max(...changes.map((text) => textWidth(text, LABEL_SIZE, BOLD))) + 14;
  const top = box.top + key.height;
  const most = Math.max(1, ...trends.flatMap(({ baseline, current }) => [baseline ?? 0, current ?? 0]));
  const x = scaleLinear([0, most], [box.left + names + 6, box.right - room]);
  const bottom = top + trends.length * ROW;
  const rules = x.ticks(widthOf(box) < 480 ? 2 : 5).flatMap((value) => [
    element('line', { x1: x(value), x2: x(value), y1: top, y2: bottom, stroke: theme.rule }),
    label(most > 1 ? shortNumber(value) : formatNumber(value, 1), x(value), bottom + 12, {
      fill: theme.muted,
      size: TICK_SIZE,
      anchor: 'middle',
    }),
  ]);
  onScale?.({ kind: 'rows', middles: trends.map((_, index) => top + (index + 0.5) * ROW) });
  const rows = trends.flatMap((trend, index) => {
    const y = top + (index + 0.5) * ROW;
    const name = clipText(trend.label, names - 7, LABEL_SIZE);
    const colour = colourOf(trend.direction, theme);
    return [
      label(name, box.left + names - 8, y, { fill: theme.ink, anchor: 'end' }),
      ...dumbbell(trend, x, y, colour, theme),
      label(changes[index]!, box.right, y, { fill: colour, anchor: 'end', weight: BOLD }),
    ];
  });
  return [...key.marks, ...rules, ...rows];
}

function colourOf(direction: Direction, { contrast, muted, subject }: ChartTheme): string {
  if (direction === 'not_measured') return muted;
  return direction === 'worsening' ? contrast : subject;
}

/** A line from a hollow circle to a full one; only one circle if the other value was not measured. */
function dumbbell(
  { baseline, current }: Trend,
  x: (value: number) => number,
  y: number,
  colour: string,
  { paper, muted }: ChartTheme,
): string[] {
  const ring = { r: 4.5, fill: paper, stroke: muted, 'stroke-width': 2 };
  const circle = (value: number | null, look: Record<string, string | number>) =>
    value === null ? [] : [element('circle', { cx: x(value), cy: y, ...look })];
  const line =
    baseline === null || current === null
      ? []
      : [
          element('line', {
            x1: x(baseline),
            x2: x(current),
            y1: y,
            y2: y,
            stroke: colour,
            'stroke-width': 2,
          }),
        ];
  return [...line, ...circle(baseline, ring), ...circle(current, { r: 5, fill: colour })];
}
