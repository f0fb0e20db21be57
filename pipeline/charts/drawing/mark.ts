import type { ChartTable } from '../chart-table.ts';
import type { Annotation } from './annotations.ts';
import { type Curves, curves } from './curves.ts';
import { type Matrix, matrix } from './matrix.ts';
import { type OverTime, overTime } from './over-time.ts';
import type { Block, Room } from './plot.ts';
import { type Bars, bars, type Cells, cells, type Dots, dots } from './rows.ts';

/** How a table is drawn. */
export type Mark = OverTime | Curves | Bars | Dots | Cells | Matrix;

export interface Marked {
  mark: Mark;
  table: ChartTable;
}

export function markBlock({ mark, table }: Marked, annotations: readonly Annotation[], room: Room): Block {
  switch (mark.kind) {
    case 'over-time':
      return overTime(mark, table, annotations, room);
    case 'curves':
      return curves(mark, room);
    case 'bars':
      return bars(mark, room);
    case 'dots':
      return dots(mark, room);
    case 'cells':
      return cells(mark, table, room);
    case 'matrix':
      return matrix(mark, table, room);
  }
}
