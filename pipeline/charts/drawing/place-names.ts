import { LABEL_SIZE } from './label.ts';
import type { Box } from './plot.ts';
import { textWidth } from './text-width.ts';

export interface Named {
  text: string;
  x: number;
  y: number;
}

export interface NamePlace {
  x: number;
  y: number;
  anchor: 'start' | 'end';
}

const AWAY = 8;
const HEIGHT = LABEL_SIZE * 1.15;

/** Where a name may stand at its point, the best first. */
const OFFSETS: readonly (readonly [dx: number, dy: number, anchor: 'start' | 'end'])[] = [
  [-AWAY, -AWAY, 'end'],
  [AWAY, AWAY, 'start'],
  [-AWAY, 0, 'end'],
  [AWAY, 0, 'start'],
  [AWAY, -AWAY, 'start'],
  [-AWAY, AWAY, 'end'],
];

/** A place for each point's name that touches no other name and no other point; null where there is none. */
export function placeNames(points: readonly Named[], box: Box): (NamePlace | null)[] {
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 }));
  return points.map((point) => {
    for (const [dx, dy, anchor] of OFFSETS) {
      const place = { x: point.x + dx, y: point.y + dy, anchor };
      const area = areaOf(point.text, place);
      if (!isWithin(area, box) || taken.some((other) => touches(area, other))) continue;
      taken.push(area);
      return place;
    }
    return null;
  });
}

function areaOf(text: string, { x, y, anchor }: NamePlace): Box {
  const width = textWidth(text, LABEL_SIZE);
  const left = anchor === 'start' ? x : x - width;
  return { left, right: left + width, top: y - HEIGHT / 2, bottom: y + HEIGHT / 2 };
}

function isWithin(inner: Box, outer: Box): boolean {
  return (
    inner.left >= outer.left &&
    inner.right <= outer.right &&
    inner.top >= outer.top &&
    inner.bottom <= outer.bottom
  );
}

function touches(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
