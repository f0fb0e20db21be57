import { extent, format, line, max, type ScaleBand, scaleBand, scaleLinear } from 'd3';
import { middle, monthAxis, type Span, valueAxis } from '../drawing/axes.ts';
import { element, textElement } from '../drawing/element.ts';
import { type ChartSize, frame } from '../drawing/frame.ts';
import { hatched } from '../drawing/hatch.ts';
import type { ChartTheme } from '../drawing/theme.ts';

/** Amounts in MIC; `total_supply` is at the month's end. */
export interface SupplyMonth {
  month: string;
  minted: number;
  burned: number;
  total_supply: number;
  /** The days that are counted, of a month that is not whole: its columns are hatched. */
  partial: object | null;
}

const MARGIN = { top: 34, right: 8, bottom: 24, left: 58 };
/** Between the two panels: room for the lower one's title. */
const GAP = 56;
/** Share of the height that the upper panel has. */
const UPPER = 0.55;
/**
 * Two panels over the same months: total supply as a line, on a scale that need not start at zero, and below it what
 * was minted (columns up) and burned (columns down), on one that does.
 */
export function supplyByMonth(
  months: readonly SupplyMonth[],
  size: ChartSize,
  theme: ChartTheme,
  summary: string,
): string {
  const span = { left: MARGIN.left, right: size.width - MARGIN.right };
  const x = scaleBand(
    months.map(({ month }) => month),
    [span.left, span.right],
  ).padding(0.3);
  const inner = size.height - MARGIN.top - MARGIN.bottom - GAP;
  const middleLine = MARGIN.top + inner * UPPER;
  const bottom = size.height - MARGIN.bottom;
  const title = 'Supply and minting by month';
  return frame({ id: `supply-by-month-${size.width}`, title, summary }, size, theme, [
    ...supplyPanel(months, x, { ...span, top: MARGIN.top, bottom: middleLine }, theme),
    ...mintingPanel(months, x, { ...span, top: middleLine + GAP, bottom }, theme),
    ...monthAxis(x, size.height - 4, theme),
  ]);
}

interface Panel extends Span {
  top: number;
  bottom: number;
}

function supplyPanel(
  months: readonly SupplyMonth[],
  x: ScaleBand<string>,
  panel: Panel,
  theme: ChartTheme,
): string[] {
  const [low = 0, high = 1] = extent(months, ({ total_supply }) => total_supply);
  const y = scaleLinear(low === high ? [0, Math.max(1, high)] : [low, high], [panel.bottom, panel.top]).nice(
    4,
  );
  const path = line<SupplyMonth>(
    ({ month }) => middle(x, month),
    ({ total_supply }) => y(total_supply),
  ).digits(2)(months);
  return [
    panelTitle('Total supply at the month’s end, MIC', panel, theme),
    ...valueAxis(y, panel, theme, { ticks: 4, format: formatTick }),
    ...(path === null
      ? []
      : [element('path', { d: path, fill: 'none', stroke: theme.accent, 'stroke-width': 2 })]),
    ...months.map(({ month, total_supply }) =>
      element('circle', { cx: middle(x, month), cy: y(total_supply), r: 3, fill: theme.accent }),
    ),
  ];
}

function mintingPanel(
  months: readonly SupplyMonth[],
  x: ScaleBand<string>,
  panel: Panel,
  theme: ChartTheme,
): string[] {
  const most = max(months, ({ minted }) => minted) || 1;
  const least = -(max(months, ({ burned }) => burned) || 0);
  const y = scaleLinear([least, most], [panel.bottom, panel.top]).nice(3);
  return [
    panelTitle(
      least < 0 ? 'Minted, and burned below the line, MIC' : 'Minted in the month, MIC',
      panel,
      theme,
    ),
    ...valueAxis(y, panel, theme, { ticks: 3, format: formatTick }),
    ...months.flatMap((month) => [
      ...column(x, month, y(month.minted), y(0), theme.accent),
      ...column(x, month, y(0), y(-month.burned), theme.contrast),
    ]),
    element('line', { x1: panel.left, x2: panel.right, y1: y(0), y2: y(0), stroke: theme.muted }),
  ];
}

function column(
  x: ScaleBand<string>,
  { month, partial }: SupplyMonth,
  ...[top, bottom, fill]: [number, number, string]
): string[] {
  if (top === bottom) return [];
  const left = x(month)!;
  if (partial) return hatched([{ left, right: left + x.bandwidth(), top, bottom }], fill);
  return [element('rect', { x: left, y: top, width: x.bandwidth(), height: bottom - top, fill })];
}

/** `1250000` → `1.25 M`; d3 would give a fraction as `500m`. */
function formatTick(value: number): string {
  if (Math.abs(value) < 1) return format('~r')(value);
  return format('~s')(value).replace(/([kMGT])$/, ' $1');
}

function panelTitle(text: string, { left, top }: Panel, theme: ChartTheme): string {
  return textElement(
    'text',
    { x: left - MARGIN.left, y: top - 20, fill: theme.ink, 'font-weight': 600 },
    text,
  );
}
