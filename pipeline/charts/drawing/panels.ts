import { timeOfDay } from './days.ts';
import { linePath } from './element.ts';
import { clipText, LABEL_SIZE, label } from './label.ts';
import type { Box, Plot } from './plot.ts';
import { widthOf } from './plot.ts';
import { timeFrame } from './time-frame.ts';

export interface PanelLine {
  /** Beside the line's end; empty if the panel's title names it. */
  text: string;
  points: readonly { date: string; value: number | null }[];
}

export interface Panel {
  title: string;
  colour: string;
  lines: readonly PanelLine[];
}

interface PanelOptions {
  from: string;
  to: string;
  format: (value: number) => string;
  limits?: readonly [number, number];
  leastSpan?: number;
  fromZero: boolean;
}

const PANEL_HEIGHT = 190;
const TITLE_HEIGHT = 24;
const GUTTER = 28;
/** A panel narrower than this has no room for names beside its lines. */
const LEAST_WIDTH = 280;
/** These, and their names, distinguish lines of one colour. */
const DASHES = [undefined, '7 3', '2 3', '9 3 2 3'] as const;

function columnsIn(width: number, count: number): number {
  const most = Math.max(1, Math.min(3, Math.floor((width + GUTTER) / (LEAST_WIDTH + GUTTER))));
  // Four panels are two rows of two, rather than three and one.
  return Math.ceil(count / Math.ceil(count / most));
}

export function panelsHeight(count: number, width: number): number {
  return Math.ceil(count / columnsIn(width, count)) * PANEL_HEIGHT;
}

/** Small charts with the same time and value scale, as many side by side as fit. */
export function panels(list: readonly Panel[], options: PanelOptions, plot: Plot): string[] {
  const columns = columnsIn(widthOf(plot.box), list.length);
  const rows = Math.ceil(list.length / columns);
  const width = (widthOf(plot.box) - (columns - 1) * GUTTER) / columns;
  const height = (plot.box.bottom - plot.box.top) / rows;
  const values = list.flatMap(({ lines }) =>
    lines.flatMap(({ points }) => points.map(({ value }) => value ?? Number.NaN)),
  );
  return list.flatMap((panel, index) => {
    const left = plot.box.left + (index % columns) * (width + GUTTER);
    const top = plot.box.top + Math.floor(index / columns) * height;
    const box = { left, right: left + width, top, bottom: top + height - 6 };
    return onePanel(panel, values, options, { ...plot, box });
  });
}

function onePanel(panel: Panel, values: number[], options: PanelOptions, plot: Plot): string[] {
  const { box } = plot;
  const { title, colour, lines } = panel;
  const inside: Box = { ...box, top: box.top + TITLE_HEIGHT };
  const named = lines.filter(({ text }) => text !== '');
  const { x, y, marks, names } = timeFrame(
    { ...plot, box: inside },
    {
      ...options,
      values,
      scale: 'linear',
      from: timeOfDay(options.from),
      to: timeOfDay(options.to),
      series: named.map(({ text }) => ({ text, colour })),
      namesBeside: true,
    },
  );
  const paths = lines.map(({ points }, index) => {
    const dash = DASHES[index % DASHES.length];
    return linePath(
      points.map(({ date, value }) => ({ x: x(timeOfDay(date)), y: value === null ? null : y(value) })),
      { stroke: colour, width: 1.5, ...(dash === undefined ? {} : { dash }) },
    );
  });
  const ends = named.map(({ points }) => y(points.findLast(({ value }) => value !== null)?.value ?? 0));
  return [
    label(clipText(title, widthOf(box), LABEL_SIZE), box.left, box.top + TITLE_HEIGHT / 2 - 2, {
      fill: colour,
      size: LABEL_SIZE,
      weight: 600,
    }),
    ...marks,
    ...paths,
    ...names(ends),
  ];
}
