import { type ScaleTime, scaleUtc, utcDay, utcFormat } from 'd3';
import { DAY_MS } from './days.ts';
import { label, TICK_SIZE } from './label.ts';
import { type Box, NARROW } from './plot.ts';
import { textWidth } from './text-width.ts';
import type { ChartTheme } from './theme.ts';

export type TimeScale = ScaleTime<number, number>;

const dayText = utcFormat('%-d %b');
const monthText = utcFormat('%b');
const monthYearText = utcFormat('%b %Y');
const shortMonthYearText = utcFormat('%b ’%y');
const yearText = utcFormat('%Y');

/** Over times in ms; a single moment gets a day around it. */
export function timeScale(from: number, to: number, left: number, right: number): TimeScale {
  const half = to > from ? 0 : DAY_MS / 2;
  return scaleUtc([new Date(from - half), new Date(to + half)], [left, right]);
}

interface Tick {
  text: string;
  x: number;
  half: number;
}

const GAP = 10;

/** Dates below the plot, as many as do not touch; with the year where it begins, and on the first one. */
export function timeAxis(
  x: TimeScale,
  edges: Pick<Box, 'left' | 'right'>,
  y: number,
  theme: ChartTheme,
): string[] {
  const style = { fill: theme.muted, size: TICK_SIZE, anchor: 'middle' } as const;
  return fittingTicks(x, edges).map(({ text, x }) => label(text, x, y, style));
}

/** The most ticks of which none has to be left out: every second month, rather than all months but two. */
function fittingTicks(x: TimeScale, edges: Pick<Box, 'left' | 'right'>): Tick[] {
  for (let count = Math.ceil((edges.right - edges.left) / 60); count > 2; count -= 1) {
    const ticks = ticksAt(wholeDays(x, count), x, edges);
    if (withoutTouching(ticks).length === ticks.length) return ticks;
  }
  return withoutTouching(ticksAt(wholeDays(x, 4), x, edges));
}

function ticksAt(days: Date[], x: TimeScale, { left, right }: Pick<Box, 'left' | 'right'>): Tick[] {
  return days.map((day, index) => {
    const text = tickText(day, x, index === 0, right - left < NARROW);
    const half = textWidth(text, TICK_SIZE) / 2;
    return { text, half, x: Math.min(Math.max(x(day), left + half), right - half) };
  });
}

function withoutTouching(ticks: Tick[]): Tick[] {
  let free = Number.NEGATIVE_INFINITY;
  return ticks.filter(({ x, half }) => {
    if (x - half < free) return false;
    free = x + half + GAP;
    return true;
  });
}

/** Over a few days d3 gives hours, which days have no use for. */
function wholeDays(x: TimeScale, count: number): Date[] {
  const ticks = x.ticks(Math.max(2, count)).filter((tick) => +utcDay.floor(tick) === +tick);
  const [from, to] = x.domain() as [Date, Date];
  return ticks.length > 0 ? ticks : [utcDay.floor(new Date((+from + +to) / 2))];
}

function tickText(tick: Date, x: TimeScale, isFirst: boolean, isNarrow: boolean): string {
  const [from, to] = x.domain() as [Date, Date];
  const months = (+to - +from) / (30 * DAY_MS);
  if (tick.getUTCDate() !== 1 || months < 2)
    return isFirst ? `${dayText(tick)} ${yearText(tick)}` : dayText(tick);
  if (months > 40 && tick.getUTCMonth() === 0) return yearText(tick);
  if (!isFirst && tick.getUTCMonth() !== 0) return monthText(tick);
  return isNarrow ? shortMonthYearText(tick) : monthYearText(tick);
}
