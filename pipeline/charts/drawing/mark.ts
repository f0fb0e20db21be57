import type { ChartTable } from '../chart-table.ts';
import type { Annotation } from './annotations.ts';
import { type Curves, curves, curvesHeight } from './curves.ts';
import { type Matrix, matrix, matrixHeight } from './matrix.ts';
import { type OverTime, overTime, overTimeHeight } from './over-time.ts';
import type { Plot } from './plot.ts';
import {
  type Bars,
  bars,
  barsHeight,
  type Cells,
  cells,
  cellsHeight,
  type Dots,
  dots,
  dotsHeight,
} from './rows.ts';

/** How a table is drawn. */
export type Mark = OverTime | Curves | Bars | Dots | Cells | Matrix;

export interface Marked {
  mark: Mark;
  table: ChartTable;
  annotations: readonly Annotation[];
}

/** The height of the plot at a width, px. */
export function markHeight({ mark, table, annotations }: Marked, width: number): number {
  switch (mark.kind) {
    case 'over-time':
      return overTimeHeight(mark, annotations, width);
    case 'curves':
      return curvesHeight(width);
    case 'bars':
      return barsHeight(mark, width);
    case 'dots':
      return dotsHeight(mark, width);
    case 'cells':
      return cellsHeight(mark, width);
    case 'matrix':
      return matrixHeight(mark, table, width);
  }
}

/** SVG elements of the plot. */
export function drawMark({ mark, table, annotations }: Marked, plot: Plot): string[] {
  switch (mark.kind) {
    case 'over-time':
      return overTime(mark, table, annotations, plot);
    case 'curves':
      return curves(mark, plot);
    case 'bars':
      return bars(mark, plot);
    case 'dots':
      return dots(mark, plot);
    case 'cells':
      return cells(mark, table, plot);
    case 'matrix':
      return matrix(mark, table, plot);
  }
}
