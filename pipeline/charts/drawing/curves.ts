import { scaleLinear } from 'd3';
import { levelTicks, valueAxis } from './axes.ts';
import { element, linePath } from './element.ts';
import { LABEL_SIZE, label, sideLabelRoom, sideLabels, TICK_SIZE, textWidth } from './label.ts';
import { type Block, type Box, isNarrow, plotHeight, type Room, widthOf } from './plot.ts';
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
const TITLE_HEIGHT = 24;
const TICKS_HEIGHT = 44;

export function curves({ x: across, y: up, curves, dots }: Curves, room: Room): Block {
  const { theme, onScale } = room;
  const muted = { fill: theme.muted, size: TICK_SIZE };
  const names = curves.map(({ label }) => ({ text: label, colour: 'muted' as const }));
  const height = plotHeight(room) + (isNarrow(room) ? 40 : 0);
  const right = room.right - sideLabelRoom(names, room);
  const steps = Array.from({ length: across.most / STEP + 1 }, (_, index) => index * STEP);
  return {
    height,
    draw(above) {
      const [top, bottom] = [above + TITLE_HEIGHT, above + height - TICKS_HEIGHT];
      const axis = valueAxis(
        { left: room.left, right, top, bottom },
        { values: [0, up.most], numbers: 'exact' },
      );
      const inner = { left: room.left + axis.width, right, top, bottom };
      const x = scaleLinear([0, across.most], [inner.left, inner.right]);
      const { y } = axis;
      const points = dots.map((dot) => ({ ...dot, left: x(Math.min(dot.x, across.most)), top: y(dot.y) }));
      onScale?.({ kind: 'points', points: points.map(({ left, top }) => [left, top]) });
      return [
        label(up.title, room.left, above + TICK_SIZE / 2, muted),
        ...axis.marks(inner, theme),
        ...levelTicks(x, Math.max(2, Math.min(6, widthOf(inner) / 34))).map(({ at, text }) =>
          label(text, at, bottom + 12, { ...muted, anchor: 'middle' }),
        ),
        label(across.title, inner.left + widthOf(inner) / 2, bottom + 34, { ...muted, anchor: 'middle' }),
        ...curves.map(({ at }) =>
          linePath(
            steps.map((value) => ({ x: x(value), y: y(at(value)) })),
            { stroke: theme.muted, width: 1.5 },
          ),
        ),
        ...sideLabels(
          names.map((name, index) => ({ ...name, y: y(curves[index]!.at(across.most)) })),
          inner,
          room.right,
          theme,
        ),
        ...dotNames(points, inner, theme),
        ...points.map(({ left, top, colour }) =>
          element('circle', {
            cx: left,
            cy: top,
            r: 4.5,
            fill: colourIn(theme, colour),
            stroke: theme.paper,
          }),
        ),
      ];
    },
  };
}

const AWAY = 8;

/** A name beside each dot, to its upper left or its lower right; none where both would touch another. The table has all. */
function dotNames(
  points: readonly { label: string; left: number; top: number; colour: Colour }[],
  inner: Box,
  theme: ChartTheme,
): string[] {
  const around = (x: number, y: number, half: number) => ({
    left: x - half,
    right: x + half,
    top: y - half,
    bottom: y + half,
  });
  const taken: Box[] = points.map(({ left, top }) => around(left, top, 5));
  return points.flatMap(({ label: name, left, top, colour }) => {
    const half = textWidth(name, LABEL_SIZE) / 2;
    const free = [-1, 1].find((side) => {
      const [x, y] = [left + side * (AWAY + half), top + side * AWAY];
      const area = { ...around(x, y, LABEL_SIZE * 0.575), left: x - half, right: x + half };
      const isFree = isInside(area, inner) && !taken.some((other) => overlap(area, other));
      if (isFree) taken.push(area);
      return isFree;
    });
    if (free === undefined) return [];
    const anchor = free < 0 ? 'end' : 'start';
    const style = { fill: colourIn(theme, colour), anchor, ground: theme.paper } as const;
    return [label(name, left + free * AWAY, top + free * AWAY, style)];
  });
}

function isInside(one: Box, other: Box): boolean {
  const isAcross = one.left >= other.left && one.right <= other.right;
  return isAcross && one.top >= other.top && one.bottom <= other.bottom;
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
