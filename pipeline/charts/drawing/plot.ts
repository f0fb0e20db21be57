import type { ChartTheme } from './theme.ts';

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Edges = Pick<Box, 'left' | 'right'>;

/** Where a part of a picture is drawn: between two sides, in the colours of a theme. */
export interface Room extends Edges {
  theme: ChartTheme;
  /** Unique in a page, for references. */
  id: string;
  /** Receives the plot's scale while it is drawn, for pointers and arrow keys. */
  onScale?: ((scale: PlotScale) => void) | undefined;
}

/** A part of a picture. Its height follows from its room, so that those below it can be placed before anything is drawn. */
export interface Block {
  /** px */
  height: number;
  /** SVG elements, from a top on. */
  draw: (top: number) => string[];
}

/** Blocks below each other. */
export function stacked(blocks: readonly Block[]): Block {
  return {
    height: blocks.reduce((sum, { height }) => sum + height, 0),
    draw(top) {
      let y = top;
      return blocks.flatMap(({ height, draw }) => {
        y += height;
        return draw(y - height);
      });
    },
  };
}

export function space(height: number): Block {
  return { height, draw: () => [] };
}

/** The positions of the table's rows in the plot, px. A chart with several plots has one for each. */
export type PlotScale =
  /**
   * From the left to the right side of the box, ms since 1970; a row lies at its time. `values` are those of the lower and the upper
   * side, and `drawn` the columns of the table that the plot shows, in the order of the picture.
   */
  | {
      kind: 'time';
      from: number;
      to: number;
      box: Box;
      values?: { domain: readonly [low: number, high: number]; scale: 'linear' | 'log' };
      drawn?: readonly DrawnColumn[];
    }
  /** Heights, one for each row of the table. */
  | { kind: 'rows'; middles: readonly number[] }
  /** One for each of the first rows of the table. */
  | { kind: 'points'; points: readonly (readonly [x: number, y: number])[] };

/** A column of numbers that a plot shows, for colour keys in a readout and for points on lines. */
export interface DrawnColumn {
  /** Name of the column of the table. */
  column: string;
  /** In a table with a row for each series: what the second cell of its rows says. */
  of?: string;
  /** As in the picture. */
  colour: string;
  /** A line, where a point marks a row's value; or an area, which has only a colour. */
  mark: 'line' | 'area';
}

/** Below this width of its plot a chart has fewer ticks and shorter labels. */
export const NARROW = 480;

export function widthOf({ left, right }: Edges): number {
  return right - left;
}

export function isNarrow(edges: Edges): boolean {
  return widthOf(edges) < NARROW;
}

/** The usual height of a plot over time. */
export function plotHeight(edges: Edges): number {
  return Math.round(Math.min(400, Math.max(270, widthOf(edges) * 0.42)));
}
