import { deliberations as published } from '../../artifacts/philosophy/deliberations.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { formatList, formatToken } from '../../words/phrase.ts';
import { type ChartTable, defineChart } from '../chart.ts';
import { element, textElement } from '../drawing/element.ts';
import { clipText, LABEL_SIZE, label, TICK_SIZE, textWidth, wrapText } from '../drawing/label.ts';
import { type Box, type Plot, widthOf } from '../drawing/plot.ts';
import type { ChartTheme } from '../drawing/theme.ts';
import { chosenSeries } from '../series.ts';

type Position = 'support' | 'support_with_conditions' | 'oppose' | 'abstain';

interface Deliberation {
  id: string;
  topic: string;
  /** By sentinel. */
  positions: ReadonlyMap<string, Position>;
  consensus: 'reached' | 'not_reached' | 'pending';
}

interface PositionTable {
  /** The last opened first. */
  deliberations: readonly Deliberation[];
  sentinels: readonly string[];
  /** The number of older ones in the file. */
  older: number;
}

const WIDE_FROM = 640;
const ROW = 38;
/** Row height in a narrow plot: topic above, symbols below. */
const TALL_ROW = 58;
/** Font size of a topic. */
const MOST_LINES = 2;
const LINE = TICK_SIZE * 1.25;
const KEY_LINE = 20;
const RADIUS = 6;
/** Height of horizontal names. */
const LEVEL_HEAD = 20;
const TOPIC_SHARE = 0.42;
const OUTCOME_ROOM = 88;

const OUTCOMES: Record<Deliberation['consensus'], string> = {
  reached: 'Consensus',
  not_reached: 'No consensus',
  pending: 'Open',
};

const POSITIONS: readonly { position: Position; text: string }[] = [
  { position: 'support', text: 'Support' },
  { position: 'support_with_conditions', text: 'With conditions' },
  { position: 'oppose', text: 'Oppose' },
  { position: 'abstain', text: 'Abstain' },
];

interface Layout {
  wide: boolean;
  /** The left edge and the width of the symbols' columns. */
  left: number;
  column: number;
  row: number;
  /** Height of the sentinels' names. */
  head: number;
  key: number;
}

function layoutOf({ sentinels }: PositionTable, box: Box): Layout {
  const width = widthOf(box);
  const wide = width >= WIDE_FROM;
  const left = wide ? box.left + width * TOPIC_SHARE : box.left;
  const column = (box.right - OUTCOME_ROOM - left) / Math.max(1, sentinels.length);
  const longest = Math.max(0, ...sentinels.map((name) => textWidth(name, TICK_SIZE)));
  const head = longest + 8 <= column ? LEVEL_HEAD : Math.min(longest, 90) + 10;
  return { wide, left, column, row: wide ? ROW : TALL_ROW, head, key: keyLines(width) * KEY_LINE + 6 };
}

/** A symbol with the longest name, and the space after it. */
const KEY_COLUMN = Math.max(...POSITIONS.map(({ text }) => textWidth(text, LABEL_SIZE))) + 36;

function keyLines(width: number): number {
  return [1, 2].find((lines) => (POSITIONS.length / lines) * KEY_COLUMN <= width) ?? POSITIONS.length;
}

function positionMatrixHeight(shown: PositionTable, width: number): number {
  const { row, head, key } = layoutOf(shown, { left: 0, right: width, top: 0, bottom: 0 });
  return key + head + shown.deliberations.length * row + 4;
}

/** A row for each deliberation, a column for each sentinel, a symbol for each position. */
function positionMatrix(shown: PositionTable, { box, theme, onScale }: Plot): string[] {
  const { deliberations, sentinels } = shown;
  const layout = layoutOf(shown, box);
  const top = box.top + layout.key + layout.head;
  const heads = sentinels.map((name, index) =>
    columnName(name, layout.left + (index + 0.5) * layout.column, top - 6, layout, theme),
  );
  onScale?.({ kind: 'rows', middles: deliberations.map((_, index) => top + (index + 0.5) * layout.row) });
  const rows = deliberations.flatMap((one, index) =>
    deliberationRow(one, top + index * layout.row, shown, layout, { box, theme, id: '' }),
  );
  return [...keyMarks(box, theme), ...heads, ...rows];
}

function keyMarks(box: Box, theme: ChartTheme): string[] {
  const perLine = Math.ceil(POSITIONS.length / keyLines(widthOf(box)));
  return POSITIONS.flatMap(({ position, text }, index) => {
    const x = box.left + (index % perLine) * KEY_COLUMN + RADIUS + 1;
    const y = box.top + (Math.floor(index / perLine) + 0.5) * KEY_LINE;
    return [symbol(position, x, y, theme), label(text, x + RADIUS + 6, y, { fill: theme.ink })];
  });
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
  const text = clipText(name, head - 8, TICK_SIZE);
  return textElement(
    'text',
    { x: x + 4, y, transform: `rotate(-90 ${round(x + 4)} ${round(y)})`, ...style },
    text,
  );
}

function deliberationRow(
  one: Deliberation,
  top: number,
  { sentinels }: PositionTable,
  { wide, left, column, row }: Layout,
  { box, theme }: Plot,
): string[] {
  const outcome = { fill: one.consensus === 'not_reached' ? theme.contrast : theme.muted, size: TICK_SIZE };
  const symbols = wide ? top + row / 2 : top + MOST_LINES * LINE + 15;
  const room = (wide ? left : box.right) - box.left - (wide ? 16 : 0);
  const lines = wrapText(one.topic, room, TICK_SIZE, { most: MOST_LINES });
  const first = wide ? symbols - ((lines.length - 1) * LINE) / 2 : top + 11;
  return [
    element('line', { x1: box.left, x2: box.right, y1: top, y2: top, stroke: theme.rule }),
    ...lines.map((line, index) =>
      label(line, box.left, first + index * LINE, { fill: theme.ink, size: TICK_SIZE }),
    ),
    label(OUTCOMES[one.consensus], box.right, symbols, { ...outcome, anchor: 'end' }),
    ...sentinels.flatMap((name, index) => {
      const position = one.positions.get(name);
      const x = left + (index + 0.5) * column;
      return position === undefined ? [] : [symbol(position, x, symbols, theme, radiusIn(column))];
    }),
  ];
}

function radiusIn(column: number): number {
  return Math.max(1.5, Math.min(RADIUS, column / 2 - 1));
}

/** Symbols differ in form: a full circle, a half one, a cross, and an empty circle. */
function symbol(position: Position, x: number, y: number, theme: ChartTheme, radius = RADIUS): string {
  const { subject, contrast, muted } = theme;
  const [cx, cy, r] = [round(x), round(y), round(radius)];
  if (position === 'support') return element('circle', { cx, cy, r, fill: subject });
  if (position === 'abstain') {
    return element('circle', { cx, cy, r: r - 1, fill: 'none', stroke: muted, 'stroke-width': 1.5 });
  }
  if (position === 'support_with_conditions') {
    const half = `M${cx},${round(cy - r + 1)}a${round(r - 1)},${round(r - 1)} 0 0,0 0,${round(2 * r - 2)}z`;
    return element(
      'g',
      { stroke: subject, 'stroke-width': 1.5 },
      element('circle', { cx, cy, r: r - 1, fill: 'none' }),
      element('path', { d: half, fill: subject }),
    );
  }
  const arm = round(r - 1);
  const side = round(2 * arm);
  const d = `M${round(cx - arm)},${round(cy - arm)}l${side},${side}m0,${-side}l${-side},${side}`;
  return element('path', { d, fill: 'none', stroke: contrast, 'stroke-width': 2.5 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** More rows than this would be a list, not a picture. */
const MOST_ROWS = 20;

const seriesOf = (all: readonly Deliberation[]) =>
  [...new Set(all.flatMap(({ positions }) => [...positions.keys()]))]
    .sort()
    .map((name) => ({ name, label: name }));

export const deliberations = defineChart<{ all: Deliberation[]; asOf: string }, PositionTable>({
  id: 'deliberations',
  area: 'philosophy',
  name: 'Positions in deliberations',
  sources: [published],
  controls: ['series'],
  prepare(files) {
    const { timestamp: asOf, deliberations } = files.read(published);
    const all = deliberations.map(({ id, topic, sentinels, consensus }) => ({
      id,
      topic,
      positions: new Map(sentinels.map(({ id, position }) => [id, position])),
      consensus,
    }));
    return { all, asOf };
  },
  series: ({ all }) => seriesOf(all),
  asOf: ({ asOf }) => asOf,
  show({ all }, state) {
    const sentinels = chosenSeries(seriesOf(all), state).map(({ name }) => name);
    return { deliberations: all.slice(0, MOST_ROWS), sentinels, older: Math.max(0, all.length - MOST_ROWS) };
  },
  isEmpty: ({ deliberations }) => deliberations.length === 0,
  missing: {
    nothing: 'No deliberation has been open in the last ninety days.',
    types: ['deliberation_opened', 'position_taken', 'deliberation_closed'],
    wholeDays: false,
  },
  title: ({ deliberations }) =>
    deliberations.length < 2
      ? `What each sentinel said in the last ${deliberations.length === 1 ? 'deliberation' : 'deliberations'}`
      : `What each sentinel said in the last ${formatCount(deliberations.length, 'deliberation')}`,
  finding,
  unit: () => 'The position that each took last; the last opened deliberation first',
  note: ({ older }) => (older > 0 ? `The file has ${formatCount(older, 'older one')}.` : ''),
  summary,
  table,
  plotHeight: positionMatrixHeight,
  plot: positionMatrix,
});

/** The share with consensus, of those that are closed. */
function finding({ deliberations }: PositionTable): string | null {
  const closed = deliberations.filter(({ consensus }) => consensus !== 'pending').length;
  const reached = deliberations.filter(({ consensus }) => consensus === 'reached').length;
  if (closed < 2) return null;
  if (reached === closed)
    return `All of the last ${formatNumber(closed)} closed deliberations reached consensus`;
  if (reached === 0) return `None of the last ${formatNumber(closed)} closed deliberations reached consensus`;
  return `${formatNumber(reached)} of the last ${formatNumber(closed)} closed deliberations reached consensus`;
}

function summary({ deliberations, sentinels }: PositionTable): string[] {
  const count = (consensus: Deliberation['consensus']) =>
    deliberations.filter((one) => one.consensus === consensus).length;
  const dissent = sentinels
    .map((name) => ({
      name,
      times: deliberations.filter(({ positions }) => positions.get(name) === 'oppose').length,
    }))
    .sort((a, b) => b.times - a.times);
  const most = dissent.filter(({ times }) => times > 0 && times === dissent[0]!.times);
  const [only] = deliberations;
  if (only && deliberations.length === 1)
    return [
      {
        reached: 'The one deliberation reached consensus.',
        not_reached: 'The one deliberation did not reach consensus.',
        pending: 'The one deliberation is open.',
      }[only.consensus],
      ...(most.length > 0 ? [`${formatList(most.map(({ name }) => name))} opposed.`] : []),
    ];
  return [
    `Of the last ${formatCount(deliberations.length, 'deliberation')}, ${count('reached')} reached consensus, ${count('not_reached')} did not, and ${count('pending')} ${count('pending') === 1 ? 'is' : 'are'} open.`,
    ...(most.length > 0
      ? [
          `${formatList(most.map(({ name }) => name))} opposed most often: ${formatCount(most[0]!.times, 'time')}${most.length > 1 ? ' each' : ''}.`,
        ]
      : []),
  ];
}

function table({ deliberations, sentinels }: PositionTable): ChartTable {
  return {
    columns: [
      { name: 'deliberation', title: 'Deliberation', unit: '' },
      { name: 'topic', title: 'Topic', unit: '' },
      { name: 'consensus', title: 'Consensus', unit: '' },
      ...sentinels.map((name) => ({ name, title: name, unit: 'position' })),
    ],
    rows: deliberations.map(({ id, topic, consensus, positions }) => [
      id,
      topic,
      formatToken(consensus),
      ...sentinels.map((name) => {
        const position = positions.get(name);
        return position === undefined ? null : formatToken(position);
      }),
    ]),
  };
}
