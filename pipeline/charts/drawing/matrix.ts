import type { ChartTable } from '../chart-table.ts';
import { segment, tenth, textElement } from './element.ts';
import {
  clipText,
  keyIn,
  label,
  legend,
  legendHeight,
  type Shape,
  symbol,
  TICK_SIZE,
  textWidth,
  wrapText,
} from './label.ts';
import { type Box, type Plot, widthOf } from './plot.ts';
import { type ChartTheme, type Colour, colourIn } from './theme.ts';

/** A row for each row of the table, a column for each of its columns from `from` on, a symbol for each of their words. */
export interface Matrix {
  kind: 'matrix';
  /** The column with a row's name, and the one with the words at its end. */
  name: string;
  outcome: string;
  /** The first column with symbols. */
  from: number;
  symbols: readonly { word: string; text: string; shape: Shape; colour: Colour }[];
  /** What the symbols are: `Positions`. */
  texts: string;
  /** The words at a row's end, and those that stand out. */
  outcomes: Readonly<Record<string, { text: string; colour: Colour }>>;
}

const WIDE_FROM = 640;
const ROW = 38;
/** Row height in a narrow plot: the name above, symbols below. */
const TALL_ROW = 58;
const MOST_LINES = 2;
const LINE = TICK_SIZE * 1.25;
const RADIUS = 6;
/** Height of horizontal names of columns. */
const LEVEL_HEAD = 20;
const NAME_SHARE = 0.42;
const OUTCOME_ROOM = 88;

function layoutOf({ from, symbols }: Matrix, { columns }: ChartTable, box: Box) {
  const width = widthOf(box);
  const wide = width >= WIDE_FROM;
  const left = wide ? box.left + width * NAME_SHARE : box.left;
  const names = columns.slice(from).map(({ title }) => title);
  const column = (box.right - OUTCOME_ROOM - left) / Math.max(1, names.length);
  const longest = Math.max(0, ...names.map((name) => textWidth(name, TICK_SIZE)));
  const head = longest + 8 <= column ? LEVEL_HEAD : Math.min(longest, 90) + 10;
  return {
    wide,
    left,
    names,
    column,
    head,
    key: legendHeight(symbols, width),
    row: wide ? ROW : TALL_ROW,
  };
}

type Layout = ReturnType<typeof layoutOf>;

export function matrixHeight(matrix: Matrix, table: ChartTable, width: number): number {
  const { key, head, row } = layoutOf(matrix, table, { left: 0, right: width, top: 0, bottom: 0 });
  return key + head + table.rows.length * row + 4;
}

export function matrix(chart: Matrix, table: ChartTable, { box, theme, onScale }: Plot): string[] {
  const layout = layoutOf(chart, table, box);
  const { left, column, row, names } = layout;
  const top = box.top + layout.key + layout.head;
  const at = (index: number) => left + (index + 0.5) * column;
  onScale?.({ kind: 'rows', middles: table.rows.map((_, index) => top + (index + 0.5) * row) });
  return [
    ...legend(keyIn(chart.symbols, theme), box, theme).marks,
    ...names.map((name, index) => columnName(name, at(index), top - 6, layout, theme)),
    ...table.rows.flatMap((cells, index) => {
      const cellOf = (name: string) =>
        String(cells[table.columns.findIndex((one) => one.name === name)] ?? '');
      const y = top + index * row;
      const middle = layout.wide ? y + row / 2 : y + MOST_LINES * LINE + 15;
      const end = chart.outcomes[cellOf(chart.outcome)];
      const style = {
        fill: colourIn(theme, end?.colour ?? 'muted'),
        size: TICK_SIZE,
        anchor: 'end',
      } as const;
      return [
        segment([box.left, y], [box.right, y], { stroke: theme.rule }),
        ...rowName(cellOf(chart.name), y, middle, layout, box, theme),
        label(end?.text ?? '', box.right, middle, style),
        ...names.flatMap((_, place) => {
          const look = chart.symbols.find(({ word }) => word === cells[chart.from + place]);
          const radius = Math.max(1.5, Math.min(RADIUS, column / 2 - 1));
          return look ? [symbol(look.shape, at(place), middle, radius, colourIn(theme, look.colour))] : [];
        }),
      ];
    }),
  ];
}

function rowName(
  name: string,
  top: number,
  middle: number,
  { wide, left }: Layout,
  box: Box,
  theme: ChartTheme,
): string[] {
  const room = (wide ? left - 16 : box.right) - box.left;
  const lines = wrapText(name, room, TICK_SIZE, { most: MOST_LINES });
  const first = wide ? middle - ((lines.length - 1) * LINE) / 2 : top + 11;
  return lines.map((line, index) =>
    label(line, box.left, first + index * LINE, { fill: theme.ink, size: TICK_SIZE }),
  );
}

/** Vertical if the columns are too narrow for the names. */
function columnName(
  name: string,
  x: number,
  y: number,
  { head, column }: Layout,
  { muted }: ChartTheme,
): string {
  const size = Math.max(6, Math.min(TICK_SIZE, column - 2));
  const style = { fill: muted, 'font-size': size };
  if (head <= LEVEL_HEAD) return textElement('text', { x, y, 'text-anchor': 'middle', ...style }, name);
  const transform = `rotate(-90 ${tenth(x + 4)} ${tenth(y)})`;
  return textElement('text', { x: x + 4, y, transform, ...style }, clipText(name, head - 8, TICK_SIZE));
}
