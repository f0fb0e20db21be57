import { addDays, type Bin, timeOfDay } from './days.ts';
import { element } from './element.ts';
import { LABEL_SIZE, label } from './label.ts';
import { type LegendItem, legend, legendHeight } from './legend.ts';
import { type Plot, widthOf } from './plot.ts';
import { clipText, textWidth } from './text-width.ts';
import { timeAxis, timeScale } from './time-axis.ts';
import { AXIS_HEIGHT } from './time-frame.ts';

/** What a sentinel was at worst in a bin of days; null: it was not registered. */
export interface StatusRow<S extends string = string> {
  name: string;
  /** One for each bin. */
  statuses: readonly (S | null)[];
  /** At the row's end. */
  text: string;
}

/** How a status looks: by colour, and by how much of the row's height it fills, for readers who do not see colours. */
export interface StatusLook extends LegendItem {
  share: number;
}

const ROW = 26;
const CELL = 18;

export function statusRowsHeight(rows: number, looks: readonly LegendItem[], width: number): number {
  return legendHeight(looks, width) + rows * ROW + AXIS_HEIGHT;
}

/** A row of cells for each name, a cell for each bin, dates below. */
export function statusRows<S extends string>(
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
  onScale?.({ kind: 'time', from, to, box: { ...box, ...edges } });
  const spans = bins.map((bin) => [x(timeOfDay(bin.from)), x(timeOfDay(addDays(bin.to, 1)))] as const);
  const marks = rows.flatMap(({ name, statuses, text }, index) => {
    const y = box.top + key.height + (index + 0.5) * ROW;
    return [
      label(clipText(name, names - 7, LABEL_SIZE), edges.left - 8, y, { fill: theme.ink, anchor: 'end' }),
      ...cells(statuses, spans, y + CELL / 2, looks),
      label(text, box.right, y, { fill: theme.ink, anchor: 'end' }),
    ];
  });
  return [...key.marks, ...marks, ...timeAxis(x, { ...edges, right: box.right }, box.bottom - 8, theme)];
}

/** A path for each status: its cells stand on `bottom`. */
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
