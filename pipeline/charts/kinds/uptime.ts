import { sentinelsByDay } from '../../artifacts/academics/sentinels-by-day.ts';
import { NO_HEARTBEAT_YET, UP_STATUSES } from '../../model/sentinel-status.ts';
import { addDays, timeOfDay } from '../../words/day.ts';
import { formatSpan } from '../../words/moment.ts';
import { formatCount, formatNumber, formatPercent } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type ChartTable, defineChart } from '../chart.ts';
import {
  type Bin,
  calendarBins,
  daysBetween,
  inRange,
  partialWords,
  type Step,
  stepFor,
} from '../drawing/days.ts';
import { element } from '../drawing/element.ts';
import {
  clipText,
  LABEL_SIZE,
  type LegendItem,
  label,
  legend,
  legendHeight,
  textWidth,
} from '../drawing/label.ts';
import { type Plot, widthOf } from '../drawing/plot.ts';
import { type ChartTheme, THEMES } from '../drawing/theme.ts';
import { AXIS_HEIGHT, timeAxis, timeScale } from '../drawing/time-frame.ts';
import { chosenSeries } from '../series.ts';

/** The worst status of a sentinel in each bin of days; null if it was not registered. */
interface StatusRow<S extends string = string> {
  name: string;
  /** One for each bin. */
  statuses: readonly (S | null)[];
  /** At the row's end. */
  text: string;
}

/** The look of a status: a colour, and the share of the row's height it fills, for readers who do not see colours. */
interface StatusLook extends LegendItem {
  share: number;
}

const ROW = 26;
const CELL = 18;

function statusRowsHeight(rows: number, looks: readonly LegendItem[], width: number): number {
  return legendHeight(looks, width) + rows * ROW + AXIS_HEIGHT;
}

/** One row per name, one cell per bin, and dates below. */
function statusRows<S extends string>(
  rows: readonly StatusRow<S>[],
  bins: readonly Bin<unknown>[],
  looks: Readonly<Record<S, StatusLook>>,
  { box, theme, onScale }: Plot,
): string[] {
  const key = legend(Object.values(looks), box, theme);
  const names = Math.min(
    Math.max(...rows.map(({ name }) => textWidth(name, LABEL_SIZE))) + 8,
    widthOf(box) * 0.32,
  );
  const texts = Math.max(...rows.map(({ text }) => textWidth(text, LABEL_SIZE))) + 8;
  const edges = { left: box.left + names, right: box.right - texts };
  const [from, to] = [timeOfDay(bins[0]!.from), timeOfDay(addDays(bins.at(-1)!.to, 1))];
  const x = timeScale(from, to, edges.left, edges.right);
  onScale?.({ kind: 'time', from, to, box: { ...box, ...edges, bottom: box.bottom - AXIS_HEIGHT } });
  const spans = bins.map((bin) => [x(timeOfDay(bin.from)), x(timeOfDay(addDays(bin.to, 1)))] as const);
  const marks = rows.flatMap(({ name, statuses, text }, index) => {
    const y = box.top + key.height + (index + 0.5) * ROW;
    return [
      label(clipText(name, names - 7, LABEL_SIZE), edges.left - 8, y, { fill: theme.ink, anchor: 'end' }),
      ...cells(statuses, spans, y + CELL / 2, looks),
      label(text, box.right, y, { fill: theme.ink, anchor: 'end' }),
    ];
  });
  return [...key.marks, ...marks, ...timeAxis(x, box, box.bottom - AXIS_HEIGHT, theme)];
}

/** One path per status, with its cells on `bottom`. */
function cells<S extends string>(
  statuses: readonly (S | null)[],
  spans: readonly (readonly [number, number])[],
  bottom: number,
  looks: Readonly<Record<S, StatusLook>>,
): string[] {
  return Object.entries<StatusLook>(looks).flatMap(([status, { colour, share }]) => {
    let d = '';
    for (const [index, [left, right]] of spans.entries()) {
      if (statuses[index] !== status) continue;
      const width = right - left > 3 ? right - left - 1 : right - left;
      d += `M${left.toFixed(1)},${bottom.toFixed(1)}h${width.toFixed(1)}v${-CELL * share}h${(-width).toFixed(1)}z`;
    }
    return d === '' ? [] : [element('path', { d, fill: colour })];
  });
}

type Status = (typeof UP_STATUSES)[number];

interface Row {
  date: string;
  sentinel: string;
  status: Status;
}

interface Sentinel extends StatusRow<Status> {
  /** The days from its first heartbeat on, in total and by worst status. */
  days: number;
  counts: Record<Status, number>;
}

interface Shown {
  sentinels: readonly Sentinel[];
  bins: readonly Bin<Row>[];
  step: Step;
}

/** The days that fit on a screen; readers can choose more. */
const DEFAULT_DAYS = 90;
const MAX_DAYS = 130;

const seriesOf = (rows: readonly Row[]) =>
  [...new Set(rows.map(({ sentinel }) => sentinel))].sort().map((name) => ({ name, label: name }));

export const uptime = defineChart<Row[], Shown>({
  id: 'uptime',
  area: 'government',
  name: 'Sentinel uptime',
  sources: [sentinelsByDay],
  controls: ['series', 'from', 'to'],
  prepare: (files) =>
    files
      .read(sentinelsByDay)
      .flatMap(({ date, sentinel, status }) =>
        status === NO_HEARTBEAT_YET ? [] : [{ date, sentinel, status }],
      ),
  series: seriesOf,
  days: (rows) => rows,
  opensWith: DEFAULT_DAYS,
  asOf: (rows) => rows.at(-1)?.date ?? '',
  show(rows, state) {
    const inside = inRange(rows, state, DEFAULT_DAYS);
    const step = stepFor(daysBetween(inside), MAX_DAYS);
    const bins = calendarBins(inside, step);
    const bySentinel = Map.groupBy(inside, ({ sentinel }) => sentinel);
    const sentinels = chosenSeries(seriesOf(rows), state).flatMap(({ name }) => {
      const own = bySentinel.get(name);
      return own ? [sentinelOf(name, own, bins)] : [];
    });
    return { sentinels, bins, step };
  },
  isEmpty: ({ sentinels }) => sentinels.length === 0,
  missing: {
    nothing: 'There is no whole day yet with a heartbeat of a sentinel.',
    types: ['sentinel_registered', 'heartbeat'],
    wholeDays: true,
  },
  title: () => 'Which sentinels were up',
  finding,
  unit: ({ step }) =>
    `${step === 'day' ? 'Each day' : `The worst day of each ${step}`}, by the longest silence between two heartbeats; at the right, the share of days without a silence over 12 hours`,
  note: ({ bins, step }) => partialWords(bins, step),
  summary({ sentinels, bins }) {
    const down = sentinels.filter(({ counts }) => counts.offline > 0);
    const steady = sentinels.filter(({ counts, days }) => counts.operational === days);
    const offline = down.map(({ name, counts }) => `${name} on ${formatCount(counts.offline, 'day')}`);
    return [
      `${formatSpan(bins[0]!.from, bins.at(-1)!.to)}, ${steadyWords(sentinels, steady.length)}.`,
      down.length === 0
        ? `${sentinels.length === 1 ? 'It' : 'None'} was ${sentinels.length === 1 ? 'never ' : ''}offline, that is, silent for more than 24 hours.`
        : `Offline, that is, silent for more than 24 hours: ${formatList(offline)}.`,
    ];
  },
  table,
  plotHeight: ({ sentinels }, width) =>
    statusRowsHeight(sentinels.length, Object.values(looksIn(THEMES.light)), width),
  plot: ({ sentinels, bins }, plot) => statusRows(sentinels, bins, looksIn(plot.theme), plot),
});

function steadyWords(sentinels: readonly Sentinel[], steady: number): string {
  const silent = 'silent for more than 12 hours';
  const [first, ...others] = sentinels;
  if (others.length === 0)
    return `${first!.name} was ${steady === 1 ? `never ${silent}` : `${silent} at least once`}`;
  const all = formatCount(sentinels.length, 'sentinel');
  if (steady === sentinels.length) return `none of ${all} was ${silent}`;
  if (steady === 0) return `each of ${all} was ${silent} at least once`;
  return `${formatNumber(steady)} of ${all} ${steady === 1 ? 'was' : 'were'} never ${silent}`;
}

/** A shorter time says little about how reliable a sentinel is. */
const LEAST_DAYS = 7;
const MOST_NAMES = 3;

/** Who was offline most, or that none was. Up to three names; with more, only their number. */
function finding({ sentinels, bins }: Shown): string | null {
  const days = daysBetween([{ date: bins[0]!.from }, { date: bins.at(-1)!.to }]);
  if (days < LEAST_DAYS) return null;
  const span = formatCount(days, 'day');
  const most = Math.max(...sentinels.map(({ counts }) => counts.offline));
  const longest = sentinels.filter(({ counts }) => counts.offline === most).map(({ name }) => name);
  if (sentinels.length === 1) {
    const [{ name, counts }] = sentinels as [Sentinel];
    const own = formatCount(sentinels[0]!.days, 'day');
    return counts.offline === 0
      ? `${name} was never offline in ${own}`
      : `${name} was offline on ${formatNumber(counts.offline)} of ${own}`;
  }
  if (most === 0) return `No sentinel was offline in ${span}`;
  const on = `on ${formatNumber(most)} of ${span}`;
  if (longest.length === sentinels.length) return `Each sentinel was offline ${on}`;
  if (longest.length > MOST_NAMES)
    return `${formatNumber(longest.length)} sentinels were offline ${on} each, more than the others`;
  return longest.length === 1
    ? `${longest[0]} was offline ${on}, more than any other sentinel`
    : `${formatList(longest)} were offline ${on} each, more than any other sentinel`;
}

function sentinelOf(name: string, rows: readonly Row[], bins: readonly Bin<Row>[]): Sentinel {
  const count = (status: Status) => rows.filter((row) => row.status === status).length;
  const counts = {
    operational: count('operational'),
    degraded: count('degraded'),
    offline: count('offline'),
  };
  const statuses = bins.map((bin) => worst(bin.rows.filter(({ sentinel }) => sentinel === name)));
  return { name, statuses, text: formatPercent(counts.operational / rows.length), days: rows.length, counts };
}

function worst(rows: readonly Row[]): Status | null {
  return UP_STATUSES.findLast((status) => rows.some((row) => row.status === status)) ?? null;
}

function looksIn(theme: ChartTheme): Record<Status, StatusLook> {
  return {
    operational: { text: 'Operational', colour: theme.parts[0], share: 1 },
    degraded: { text: 'Degraded: silent over 12 h', colour: theme.warning, share: 0.6 },
    offline: { text: 'Offline: over 24 h', colour: theme.contrast, share: 0.25 },
  };
}

function table({ sentinels, bins, step }: Shown): ChartTable {
  return {
    columns: [
      { name: 'from', title: step === 'day' ? 'Day' : `First day of the ${step}`, unit: '' },
      { name: 'to', title: 'Last day', unit: '' },
      ...sentinels.map(({ name }) => ({ name, title: name, unit: 'worst status' })),
    ],
    rows: bins.map(({ from, to }, index) => [from, to, ...sentinels.map(({ statuses }) => statuses[index]!)]),
  };
}
