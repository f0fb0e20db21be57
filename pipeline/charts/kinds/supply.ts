import { area, stack, sum } from 'd3';
import { supply as supplyNow } from '../../artifacts/economy/supply.ts';
import { supplyByDay } from '../../artifacts/economy/supply-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { timeOfDay } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatChange, formatNumber, formatPercent } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type ChartTable, defineChart } from '../chart.ts';
import { binDays, daysBetween, END_OF_STEP, inRange, type Step, stepFor } from '../drawing/days.ts';
import { element, linePath } from '../drawing/element.ts';
import { shortNumber } from '../drawing/label.ts';
import { type Plot, timePlotHeight } from '../drawing/plot.ts';
import { type TimeFrame, timeFrame } from '../drawing/time-frame.ts';
import { chosenSeries } from '../series.ts';

/** Width of the column of a single day, px. */
const COLUMN = 40;

const PARTS = [
  { name: 'circulating', label: 'Circulating', verb: 'circulated', colour: 0 },
  { name: 'locked', label: 'Locked', verb: 'were locked', colour: 1 },
  { name: 'burned', label: 'Burned', verb: 'had been burned', colour: 3 },
] as const;
type Part = (typeof PARTS)[number];

type Level = Content<typeof supplyByDay>[number];

interface Shown {
  levels: readonly Level[];
  parts: readonly Part[];
  step: Step;
  scale: 'linear' | 'log';
}

export const supply = defineChart<{ levels: Level[]; asOf: string }, Shown>({
  id: 'supply',
  area: 'economy',
  name: 'MIC supply',
  sources: [supplyByDay, supplyNow],
  controls: ['series', 'from', 'to', 'scale'],
  prepare(files) {
    const levels = [...files.read(supplyByDay)];
    const { timestamp: asOf, ...now } = files.read(supplyNow);
    const today = asOf.slice(0, 10);
    // Files by day do not have the current day, but its amounts are known.
    if (today > (levels.at(-1)?.date ?? '')) levels.push({ date: today, ...now });
    return { levels, asOf };
  },
  series: () => PARTS.map(({ name, label }) => ({ name, label })),
  days: ({ levels }) => levels,
  asOf: ({ asOf }) => asOf,
  show({ levels }, state) {
    const inside = inRange(levels, state);
    const step = stepFor(daysBetween(inside));
    const ends = binDays(inside, step).map(({ rows }) => rows.at(-1)!);
    return { levels: ends, parts: chosenSeries(PARTS, state), step, scale: state.scale };
  },
  isEmpty: ({ levels }) => levels.length === 0,
  isMissing: ({ levels }) => levels.every(({ total_supply }) => total_supply === 0),
  missing: {
    nothing: 'There are no MIC yet.',
    types: ['genesis', 'mic_mint'],
    wholeDays: false,
  },
  title: ({ parts }) => `MIC supply over time: ${formatList(parts.map(({ label }) => label.toLowerCase()))}`,
  finding,
  unit: ({ parts, step, scale }) => {
    const whole = parts.length === PARTS.length ? '; the parts add up to the total supply' : '';
    return `MIC, ${END_OF_STEP[step]}${scale === 'log' ? '; logarithmic scale' : whole}`;
  },
  summary,
  table,
  plotHeight: (_, width) => timePlotHeight(width),
  plot: (shown, plot) => (shown.scale === 'log' ? lines(shown, plot) : stacked(shown, plot)),
});

/** A smaller change would read as news where there is none. */
const LEAST_CHANGE = 0.01;

/** How much the amount shown grew or fell between the first and the last level; above threefold as a factor. */
function finding({ levels, parts }: Shown): string | null {
  const [first, last] = [levels[0]!, levels.at(-1)!];
  const [before, now] = [amountOf(parts, first), amountOf(parts, last)];
  if (levels.length < 2 || before <= 0) return null;
  const what = subject(parts);
  const change = now / before - 1;
  const since = `since ${formatDay(first.date)}`;
  const isOne = parts.length === PARTS.length;
  if (Math.abs(change) < LEAST_CHANGE)
    return now === before ? `${what} ${isOne ? 'has' : 'have'} not changed ${since}` : null;
  const [have, verb] = [isOne ? 'has' : 'have', change > 0 ? 'grown' : 'fallen'];
  if (now / before >= 3) return `${what} ${have} grown ${formatNumber(now / before, 1)}-fold ${since}`;
  return `${what} ${have} ${verb} by ${formatPercent(Math.abs(change), Math.abs(change) < 0.1 ? 1 : 0)} ${since}`;
}

function summary({ levels, parts }: Shown): string[] {
  const [first, last] = [levels[0]!, levels.at(-1)!];
  const clauses = parts.map(({ name, verb }) => `${formatNumber(last[name])} MIC ${verb}`);
  const [before, now] = [amountOf(parts, first), amountOf(parts, last)];
  const share = before > 0 ? ` (${formatChange((now / before - 1) * 100, 1)} %)` : '';
  const burnedShare =
    last.burned > 0 && parts.some(({ name }) => name === 'burned')
      ? [`${formatPercent(last.burned / last.total_supply)} of all MIC ever minted had been burned.`]
      : [];
  return [
    `On ${formatDay(last.date)}, ${formatList(clauses)}, of ${formatNumber(last.total_supply)} MIC in all.`,
    ...(levels.length > 1
      ? [
          now === before
            ? `${subject(parts)} ${parts.length === PARTS.length ? 'has' : 'have'} not changed since ${formatDay(first.date)}.`
            : `${subject(parts)} changed by ${formatChange(now - before, 0)} MIC${share} since ${formatDay(first.date)}.`,
        ]
      : []),
    ...burnedShare,
  ];
}

function amountOf(parts: readonly Part[], level: Level): number {
  return parts.length === PARTS.length ? level.total_supply : sum(parts, ({ name }) => level[name]);
}

function subject(parts: readonly Part[]): string {
  if (parts.length === PARTS.length) return 'The total supply';
  const [first = '', ...more] = parts.map(({ label }) => label);
  const names = formatList([first, ...more.map((label) => label.toLowerCase())]);
  return `${names} MIC${more.length > 0 ? ' together' : ''}`;
}

function table({ levels, parts }: Shown): ChartTable {
  const column = (name: string, title: string) => ({ name, title, unit: 'MIC' });
  return {
    columns: [
      { name: 'date', title: 'Day', unit: '' },
      ...parts.map(({ name, label }) => column(name, label)),
      column('total_supply', 'Total supply'),
    ],
    rows: levels.map((level) => [level.date, ...parts.map(({ name }) => level[name]), level.total_supply]),
  };
}

function frameOf({ levels, parts, scale }: Shown, plot: Plot, values: number[]): TimeFrame {
  const last = levels.at(-1)!;
  return timeFrame(plot, {
    values,
    fromZero: true,
    scale,
    from: timeOfDay(levels[0]!.date),
    to: timeOfDay(last.date),
    format: shortNumber,
    series: parts.map(({ name, label, colour }) => ({
      text: `${label} ${shortNumber(last[name])}`,
      colour: plot.theme.parts[colour],
      area: true,
    })),
    unit: 'MIC',
    drawn: parts.map(({ name, colour }) => ({
      column: name,
      colour: plot.theme.parts[colour],
      mark: scale === 'log' ? 'line' : 'area',
    })),
  });
}

function stacked(shown: Shown, plot: Plot): string[] {
  const { levels, parts } = shown;
  const layers = stack<Level, Part>()
    .keys(parts)
    .value((level, { name }) => level[name])(levels);
  const { x, y, marks, names } = frameOf(shown, plot, layers.flat(2));
  const { parts: colours, paper } = plot.theme;
  const shape = area<[number, number]>(
    (_, index) => x(timeOfDay(levels[index]!.date)),
    ([low]) => y(low),
    ([, high]) => y(high),
  ).digits(1);
  // An area has no width on a single day, so that day gets a column.
  if (levels.length === 1) {
    const [left, width] = [x(timeOfDay(levels[0]!.date)) - COLUMN / 2, COLUMN];
    const columns = layers.map((layer) => {
      const [low, high] = layer[0]!;
      return element('rect', {
        x: left,
        y: Math.min(y(low), y(high)),
        width,
        height: Math.abs(y(low) - y(high)),
        fill: colours[layer.key.colour],
      });
    });
    return [...marks, ...columns, ...names(layers.map(([level]) => (y(level![0]) + y(level![1])) / 2))];
  }
  const areas = layers.map((layer) =>
    element('path', {
      d: shape(layer.map(([low, high]) => [low, high])) ?? '',
      fill: colours[layer.key.colour],
      stroke: paper,
      'stroke-width': 0.75,
    }),
  );
  const middles = layers.map((layer) => (y(layer.at(-1)![0]) + y(layer.at(-1)![1])) / 2);
  return [...marks, ...areas, ...names(middles)];
}

/** Logarithms cannot be stacked, so each part is a line. */
function lines(shown: Shown, plot: Plot): string[] {
  const { levels, parts } = shown;
  const values = parts.flatMap(({ name }) => levels.map((level) => level[name]));
  const { x, y, marks, names } = frameOf(shown, plot, values);
  const paths = parts.map(({ name, colour }) =>
    linePath(
      levels.map((level) => ({ x: x(timeOfDay(level.date)), y: level[name] > 0 ? y(level[name]) : null })),
      { stroke: plot.theme.parts[colour] },
    ),
  );
  return [...marks, ...paths, ...names(parts.map(({ name }) => y(levels.at(-1)![name])))];
}
