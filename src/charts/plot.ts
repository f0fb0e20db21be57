import type { ChartTheme } from './theme.ts';

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Where a chart's marks go, and in which colours. Axis labels and direct labels lie inside the box, too. */
export interface Plot {
  box: Box;
  theme: ChartTheme;
  /** Unique in a page, for what must be referred to. */
  id: string;
}

/** Below this width of its plot a chart has fewer ticks and shorter labels. */
export const NARROW = 480;

export function widthOf({ left, right }: Box): number {
  return right - left;
}

export function isNarrow(box: Box): boolean {
  return widthOf(box) < NARROW;
}

/** The usual height of a plot over time. */
export function timePlotHeight(width: number): number {
  return Math.round(Math.min(400, Math.max(270, width * 0.42)));
}
