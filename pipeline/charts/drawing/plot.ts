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
  /** Is told how the plot measures, as it is drawn: for pointers and arrow keys. */
  onScale?: ((scale: PlotScale) => void) | undefined;
}

/** Where the rows of a chart's table lie in its plot, px; several plots of one chart have one each. */
export type PlotScale =
  /** From the left to the right side of the box, ms since 1970; a row lies at its time. */
  | { kind: 'time'; from: number; to: number; box: Box }
  /** Heights, one for each row of the table. */
  | { kind: 'rows'; middles: readonly number[] }
  /** One for each of the first rows of the table. */
  | { kind: 'points'; points: readonly (readonly [x: number, y: number])[] };

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
