import { type CurveFactory, curveLinear, line } from 'd3';
import { element } from './element.ts';

export interface Point {
  x: number;
  /** Null: the line has a gap. */
  y: number | null;
}

export interface LineStyle {
  stroke: string;
  width?: number;
  dash?: string;
  curve?: CurveFactory;
}

/** A line through points in pixels; a point between two gaps is a dot. Empty without points. */
export function linePath(
  points: readonly Point[],
  { stroke, width = 2, dash, curve = curveLinear }: LineStyle,
): string {
  const path = line<Point>(
    ({ x }) => x,
    ({ y }) => y!,
  )
    .defined(({ y }) => y !== null)
    .curve(curve)
    .digits(1)(points);
  if (path === null) return '';
  return element('path', {
    d: path,
    fill: 'none',
    stroke,
    'stroke-width': width,
    'stroke-dasharray': dash ?? null,
    'stroke-linejoin': 'round',
    // A dot where a line has one point only.
    'stroke-linecap': dash === undefined ? 'round' : null,
  });
}
