import { scaleLinear } from 'd3';
import { levelTicks, valueAxis } from './axes.ts';
import { element, linePath } from './element.ts';
import { LABEL_SIZE, label, sideLabelRoom, sideLabels, TICK_SIZE, textWidth } from './label.ts';
import { type Box, NARROW, type Plot, timePlotHeight, widthOf } from './plot.ts';
import { type ChartTheme, type Colour, colourIn } from './theme.ts';

/** Lines over a number, and a dot with a name for each of the first rows of the table. */
export interface Curves {
  kind: 'curves';
  /** From 0 to `most`; dots further out are drawn at the end. */
  x: { title: string; most: number };
  y: { title: string; most: number };
  curves: readonly { label: string; at: (x: number) => number }[];
  /** What the texts of the dots are: `A mint would earn`. */
  texts: string;
  dots: readonly { label: string; x: number; y: number; text: string; colour: Colour }[];
}

const STEP = 2;
const DATES = 44;

export function curvesHeight(width: number): number {
  return timePlotHeight(width) + (width < NARROW ? 40 : 0);
}

export function curves({ x: across, y: up, curves, dots }: Curves, { box, theme, onScale }: Plot): string[] {
  const muted = { fill: theme.muted, size: TICK_SIZE };
  const names = curves.map(({ label }) => ({ text: label, colour: theme.muted }));
  const right = box.right - sideLabelRoom(names, box);
  const axis = valueAxis(
    { ...box, right, top: box.top + 24, bottom: box.bottom - DATES },
    { values: [0, up.most], numbers: 'exact' },
  );
  const inner = { left: box.left + axis.width, right, top: box.top + 24, bottom: box.bottom - DATES };
  const x = scaleLinear([0, across.most], [inner.left, inner.right]);
  const { y } = axis;
  const steps = Array.from({ length: across.most / STEP + 1 }, (_, index) => index * STEP);
  const points = dots.map((dot) => ({ ...dot, left: x(Math.min(dot.x, across.most)), top: y(dot.y) }));
  onScale?.({ kind: 'points', points: points.map(({ left, top }) => [left, top]) });
  return [
    label(up.title, box.left, box.top + TICK_SIZE / 2, muted),
    ...axis.marks(inner, theme),
    ...levelTicks(x, Math.max(2, Math.min(6, widthOf(inner) / 34))).map(({ at, text }) =>
      label(text, at, box.bottom - 32, { ...muted, anchor: 'middle' }),
    ),
    label(across.title, inner.left + widthOf(inner) / 2, box.bottom - 10, { ...muted, anchor: 'middle' }),
    ...curves.map(({ at }) =>
      linePath(
        steps.map((value) => ({ x: x(value), y: y(at(value)) })),
        { stroke: theme.muted, width: 1.5 },
      ),
    ),
    ...sideLabels(
      names.map((name, index) => ({ ...name, y: y(curves[index]!.at(across.most)) })),
      inner,
      box.right,
      theme,
    ),
    ...dotNames(points, inner, theme),
    ...points.map(({ left, top, colour }) =>
      element('circle', { cx: left, cy: top, r: 4.5, fill: colourIn(theme, colour), stroke: theme.paper }),
    ),
  ];
}

const AWAY = 8;

/** A name beside each dot, to its upper left or its lower right; none where both would touch another. The table has all. */
function dotNames(
  points: readonly { label: string; left: number; top: number; colour: Colour }[],
  inner: Box,
  theme: ChartTheme,
): string[] {
  const height = LABEL_SIZE * 1.15;
  const taken: Box[] = points.map(({ left, top }) => ({
    left: left - 5,
    right: left + 5,
    top: top - 5,
    bottom: top + 5,
  }));
  return points.flatMap(({ label: name, left, top, colour }) => {
    const width = textWidth(name, LABEL_SIZE);
    for (const side of [-1, 1]) {
      const [x, y] = [left + side * AWAY, top + side * AWAY];
      const from = side < 0 ? x - width : x;
      const area = { left: from, right: from + width, top: y - height / 2, bottom: y + height / 2 };
      const inside =
        area.left >= inner.left &&
        area.right <= inner.right &&
        area.top >= inner.top &&
        area.bottom <= inner.bottom;
      if (!inside || taken.some((other) => overlap(area, other))) continue;
      taken.push(area);
      const style = {
        fill: colourIn(theme, colour),
        anchor: side < 0 ? 'end' : 'start',
        ground: theme.paper,
      } as const;
      return [label(name, x, y, style)];
    }
    return [];
  });
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
