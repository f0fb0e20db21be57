import { element } from './element.ts';
import { LABEL_SIZE, LINE_HEIGHT, label } from './label.ts';
import { type Box, widthOf } from './plot.ts';
import { spreadLabels } from './spread-labels.ts';
import { clipText, textWidth } from './text-width.ts';
import type { ChartTheme } from './theme.ts';

export interface SideLabel {
  text: string;
  /** Where what it names ends. */
  y: number;
  colour: string;
}

const GAP = 12;
/** A longer one would leave too little for the marks. */
const MOST_OF_WIDTH = 0.34;

/** Pixels that the labels take to the right of the marks. */
export function sideLabelRoom(texts: readonly string[], box: Box): number {
  const longest = Math.max(0, ...texts.map((text) => textWidth(text, LABEL_SIZE)));
  return Math.min(longest + GAP, widthOf(box) * MOST_OF_WIDTH);
}

/**
 * Direct labels at the marks' right ends, moved apart where they would touch, each with a thin line to what it names.
 * Where there is no room for all, the last ones of the list are counted in its place.
 */
export function sideLabels(
  labels: readonly SideLabel[],
  inner: Box,
  right: number,
  theme: ChartTheme,
): string[] {
  const height = LABEL_SIZE * LINE_HEIGHT - 1;
  const room = right - inner.right - GAP;
  const [top, bottom] = [inner.top - height / 2, inner.bottom + height / 2];
  const most = Math.max(1, Math.floor((bottom - top) / height));
  const shown: SideLabel[] =
    labels.length <= most
      ? [...labels]
      : [
          ...labels.slice(0, most - 1),
          { text: `and ${labels.length - most + 1} more`, y: bottom, colour: theme.muted },
        ];
  const places = spreadLabels(
    shown.map(({ y }) => ({ y, height })),
    top,
    bottom,
  );
  return shown.flatMap(({ text, y, colour }, index) => {
    const at = places[index];
    if (at === null || at === undefined) return [];
    const name = label(clipText(text, room + 1, LABEL_SIZE), inner.right + GAP, at, { fill: colour });
    return Math.abs(at - y) < 3 ? [name] : [leader(inner.right, y, at, theme), name];
  });
}

function leader(x: number, from: number, to: number, { muted }: ChartTheme): string {
  const d = `M${round(x + 2)},${round(from)}L${round(x + GAP - 3)},${round(to)}`;
  return element('path', { d, fill: 'none', stroke: muted, 'stroke-width': 0.75 });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
