import type { ChartTable } from '../chart-table.ts';
import { segment, tenth, textElement } from './element.ts';
import { clipText, type KeyItem, label, legend, symbol, TICK_SIZE, textWidth, wrapText } from './label.ts';
import { type Block, type Room, widthOf } from './plot.ts';
import { type Colour, colourIn } from './theme.ts';

/** A row for each row of the table, a column for each of its columns from `from` on, a symbol for each of their words. */
export interface Matrix {
  kind: 'matrix';
  /** The column with a row's name, and the one with the words at its end. */
  name: string;
  outcome: string;
  /** The first column with symbols. */
  from: number;
  symbols: readonly (Required<KeyItem> & { word: string })[];
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

export function matrix(chart: Matrix, { columns, rows }: ChartTable, room: Room): Block {
  const { theme } = room;
  const isWide = widthOf(room) >= WIDE_FROM;
  const left = isWide ? room.left + widthOf(room) * NAME_SHARE : room.left;
  const names = columns.slice(chart.from).map(({ title }) => title);
  const column = (room.right - OUTCOME_ROOM - left) / Math.max(1, names.length);
  const longest = Math.max(0, ...names.map((name) => textWidth(name, TICK_SIZE)));
  const head = longest + 8 <= column ? LEVEL_HEAD : Math.min(longest, 90) + 10;
  const key = legend(chart.symbols, room);
  const row = isWide ? ROW : TALL_ROW;
  const at = (index: number) => left + (index + 0.5) * column;
  const radius = Math.max(1.5, Math.min(RADIUS, column / 2 - 1));
  const placeOf = (name: string) => columns.findIndex((one) => one.name === name);
  const [topic, outcome] = [placeOf(chart.name), placeOf(chart.outcome)];
  const topicRoom = (isWide ? left - 16 : room.right) - room.left;
  const draw = (above: number) => {
    const top = above + key.height + head;
    room.onScale?.({ kind: 'rows', middles: rows.map((_, index) => top + (index + 0.5) * row) });
    return [
      ...key.draw(above),
      ...names.map((name, index) => columnName(name, [at(index), top - 6], { head, column }, theme.muted)),
      ...rows.flatMap((cells, index) => {
        const y = top + index * row;
        const middle = isWide ? y + row / 2 : y + MOST_LINES * LINE + 15;
        const { text, colour } = chart.outcomes[String(cells[outcome])] ?? { text: '', colour: 'muted' };
        const lines = wrapText(String(cells[topic]), topicRoom, TICK_SIZE, { most: MOST_LINES });
        const first = isWide ? middle - ((lines.length - 1) * LINE) / 2 : y + 11;
        const style = { fill: colourIn(theme, colour), size: TICK_SIZE, anchor: 'end' } as const;
        return [
          segment([room.left, y], [room.right, y], { stroke: theme.rule }),
          ...lines.map((line, at) =>
            label(line, room.left, first + at * LINE, { fill: theme.ink, size: TICK_SIZE }),
          ),
          label(text, room.right, middle, style),
          ...names.flatMap((_, place) => {
            const look = chart.symbols.find(({ word }) => word === cells[chart.from + place]);
            return look ? [symbol(look.shape, at(place), middle, radius, colourIn(theme, look.colour))] : [];
          }),
        ];
      }),
    ];
  };
  return { height: key.height + head + rows.length * row + 4, draw };
}

/** Vertical if the columns are too narrow for the names. */
function columnName(
  name: string,
  [x, y]: readonly [x: number, y: number],
  { head, column }: { head: number; column: number },
  fill: string,
): string {
  const style = { fill, 'font-size': Math.max(6, Math.min(TICK_SIZE, column - 2)) };
  if (head <= LEVEL_HEAD) return textElement('text', { x, y, 'text-anchor': 'middle', ...style }, name);
  const transform = `rotate(-90 ${tenth(x + 4)} ${tenth(y)})`;
  return textElement('text', { x: x + 4, y, transform, ...style }, clipText(name, head - 8, TICK_SIZE));
}
