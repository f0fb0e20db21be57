import { format } from 'd3';
import { showDirections } from '../../artifacts/format/show-directions.ts';
import { formatNumber } from '../../words/number.ts';
import { element, segment, tenth, textElement } from './element.ts';
import { type Block, type Box, type Edges, type Room, widthOf } from './plot.ts';
import { type ChartTheme, type Colour, colourIn } from './theme.ts';

export const LABEL_SIZE = 13;
export const TICK_SIZE = 12;
/** The weight of headlines and values. */
export const BOLD = 600;
/** The distance between two baselines, relative to the font size. */
export const LINE_HEIGHT = 1.3;

export interface LabelStyle {
  fill: string;
  size?: number;
  anchor?: 'start' | 'middle' | 'end';
  weight?: number;
  font?: string;
  /** The colour behind the text, for labels over marks. */
  ground?: string;
}

/**
 * A line of text centred at `y`. No attribute for vertical centring works in every viewer, and none that draws an outline behind the
 * letters: a viewer without it draws the outline over them, and a printed page has each letter twice.
 */
export function label(
  text: string,
  x: number,
  y: number,
  { fill, size = LABEL_SIZE, anchor = 'start', weight, font, ground }: LabelStyle,
): string {
  const words = textElement(
    'text',
    {
      x,
      y: y + size * 0.35,
      fill,
      'font-size': size === LABEL_SIZE ? null : size,
      'text-anchor': anchor === 'start' ? null : anchor,
      'font-weight': weight ?? null,
      'font-family': font ?? null,
    },
    text,
  );
  if (ground === undefined) return words;
  const [width, height] = [textWidth(text, size, weight), size * LINE_HEIGHT];
  const left = x - { start: 0, middle: width / 2, end: width }[anchor];
  return element('rect', { x: left - 2, y: y - height / 2, width: width + 4, height, fill: ground }) + words;
}

/** Three significant digits: `8392466` → `8.39 M`, `950` → `950`, `0.034` → `0.034`, `1.1e15` → `1,100 T`. For axes and labels. */
export function shortNumber(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e21 || size < 1e-4) return format('.2~e')(value);
  if (size >= 1e15) return `${formatNumber(Number((value / 1e12).toPrecision(3)))} T`;
  return format(size < 1000 ? '.3~r' : '.3~s')(value)
    .replace('G', 'B')
    .replace(/([kMBT])$/, ' $1');
}

/** A number for labels: in full below a million, else short. */
export function labelNumber(value: number, decimals = 0): string {
  return Math.abs(value) < 1e6 ? formatNumber(value, decimals) : shortNumber(value);
}

/**
 * Widths of the characters from U+0020 to U+007E in DejaVu Sans, in thousandths of the font's size. There is no DOM to measure in. It is
 * the widest of the usual fonts, and what many programs that open a drawing use in place of those of the theme.
 */
const WIDTHS = {
  regular: widths(
    '318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636 636 636 337 337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 787 603 787 695 635 611 732 684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 634 278 278 579 278 974 634 612 635 635 411 521 392 634 592 818 592 592 525 636 337 636 838',
  ),
  bold: widths(
    '348 456 521 838 696 1002 872 306 457 457 523 838 380 415 380 365 696 696 696 696 696 696 696 696 696 696 400 400 838 838 838 580 1000 774 762 734 830 683 683 821 837 372 372 775 637 995 837 850 733 850 770 720 682 812 774 1103 771 724 725 457 365 457 838 500 500 675 716 593 716 678 435 716 712 343 343 665 343 1042 712 687 716 716 493 595 478 712 652 924 645 652 582 712 365 712 838',
  ),
};
/** Programs that draw for a screen round each letter to whole pixels. */
const SLACK = 1.04;
/** As wide as the signs of arithmetic. */
const OTHER = 840;
/** Chinese, Japanese, Korean and symbols: as wide as they are high. */
const WIDE_FROM = 0x2e80;
/** Letters with accents, which are as wide as without, end before it. */
const ACCENTED_BEFORE = 0x2000;
const NO_BREAK_SPACE = 0xa0;
const ELLIPSIS = '…';

function widths(list: string): number[] {
  return list.split(' ').map(Number);
}

/** An upper bound for the width of a line of text in a font of `size` px. */
export function textWidth(text: string, size: number, weight = 400): number {
  const font = weight < BOLD ? WIDTHS.regular : WIDTHS.bold;
  let sum = 0;
  for (const character of text) sum += characterWidth(character, font);
  return (sum / 1000) * size * SLACK;
}

function characterWidth(character: string, font: readonly number[]): number {
  const code = character.codePointAt(0)!;
  if (code < 127) return font[code - 32] ?? OTHER;
  if (code === NO_BREAK_SPACE) return font[0]!;
  // Shown by its name, as in `[U+202E]`.
  const name = code >= 0x202a && code <= 0x2069 ? showDirections(character) : '';
  if (name.length > 2) return [...name].reduce((sum, one) => sum + characterWidth(one, font), 0);
  const plain = code < ACCENTED_BEFORE ? character.normalize('NFD').codePointAt(0)! : code;
  return font[plain - 32] ?? (code >= WIDE_FROM || character === ELLIPSIS ? 1000 : OTHER);
}

/** The text, shortened with an ellipsis to fit into `width`. */
export function clipText(text: string, width: number, size: number, weight = 400): string {
  if (textWidth(text, size, weight) <= width) return text;
  const characters = [...text.slice(0, Math.ceil(width))];
  while (characters.length > 1 && textWidth(characters.join('') + ELLIPSIS, size, weight) > width)
    characters.pop();
  return characters.join('').trimEnd() + ELLIPSIS;
}

/** Lines of whole words that fit into `width`. A word that is too long is clipped, and so is the last line. */
export function wrapText(
  text: string,
  width: number,
  size: number,
  { most = 8, weight = 400 }: { most?: number; weight?: number },
): string[] {
  const lines: string[] = [];
  // Not at no-break spaces.
  for (const word of text.split(/[ \t\r\n]+/).filter((word) => word !== '')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && (lines.length === most || textWidth(longer, size, weight) <= width)) {
      lines[lines.length - 1] = longer;
    } else lines.push(word);
  }
  return lines.map((line) => clipText(line, width, size, weight));
}

/** Lines of text below each other from the room's left side, at most so many. */
export function paragraph(
  words: string,
  { left, right }: Edges,
  most: number,
  style: LabelStyle & { size: number },
): Block {
  const lines = wrapText(words, right - left, style.size, { most, weight: style.weight ?? 400 });
  const line = style.size * LINE_HEIGHT;
  return {
    height: lines.length * line,
    draw: (top) => lines.map((words, index) => label(words, left, top + (index + 0.5) * line, style)),
  };
}

/** Symbols differ in form, for readers who do not see colours. */
export type Shape = 'square' | 'dashes' | 'circle' | 'ring' | 'half' | 'cross';

/** What a colour means. */
export interface KeyItem {
  text: string;
  colour: Colour;
  /** The shape of the marks it names; a square by default. */
  shape?: Shape;
}

const LINE = 19;
const SWATCH = 10;
const ITEM_GAP = 14;

/** Names with their colours, in lines; nothing without names. */
export function legend(items: readonly KeyItem[], { left, right, theme }: Room): Block {
  let [x, line] = [left, 0];
  const placed = items.map(({ text, colour, shape = 'square' }) => {
    const words = clipText(text, right - left - SWATCH - 5, LABEL_SIZE);
    const width = SWATCH + 5 + textWidth(words, LABEL_SIZE);
    if (x > left && x + width > right) [x, line] = [left, line + 1];
    const at = { words, colour, shape, x, y: (line + 0.5) * LINE };
    x += width + ITEM_GAP;
    return at;
  });
  return {
    height: items.length === 0 ? 0 : (line + 1) * LINE + 6,
    draw: (top) =>
      placed.flatMap(({ words, colour, shape, x, y }) => [
        symbol(shape, x + SWATCH / 2, top + y, SWATCH / 2, colourIn(theme, colour)),
        label(words, x + SWATCH + 5, top + y, { fill: theme.ink }),
      ]),
  };
}

/** Around a middle. */
export function symbol(shape: Shape, cx: number, cy: number, radius: number, colour: string): string {
  const line = { stroke: colour, 'stroke-width': 2 };
  const [left, top, size] = [cx - radius, cy - radius, 2 * radius];
  if (shape === 'square')
    return element('rect', { x: left, y: top, width: size, height: size, rx: 2, fill: colour });
  if (shape === 'dashes')
    return segment([left, cy], [left + size, cy], { ...line, 'stroke-dasharray': '4 2' });
  if (shape === 'circle') return element('circle', { cx, cy, r: radius, fill: colour });
  const inner = radius - 1;
  if (shape === 'cross') {
    const [x, y, side] = [tenth(cx - inner), tenth(cy - inner), tenth(2 * inner)];
    return element('path', {
      d: `M${x},${y}l${side},${side}m0,${-side}l${-side},${side}`,
      fill: 'none',
      ...line,
    });
  }
  const ring = element('circle', { cx, cy, r: inner, fill: 'none', ...line });
  if (shape === 'ring') return ring;
  const half = `M${tenth(cx)},${tenth(cy - inner)}a${tenth(inner)},${tenth(inner)} 0 0,0 0,${tenth(2 * inner)}z`;
  return ring + element('path', { d: half, fill: colour });
}

const GAP = 12;
/** A longer one would leave too little for the marks. */
const MAX_SHARE_OF_WIDTH = 0.34;

/** A name beside the end of a mark; that of an area, whose colour may be too light for text, is ink, with a swatch. */
export interface SideLabel extends KeyItem {
  area?: boolean;
}

/** The width of the labels to the right of the marks, px. */
export function sideLabelRoom(items: readonly SideLabel[], edges: Edges): number {
  const widths = items.map(({ text, area }) => textWidth(text, LABEL_SIZE) + (area ? SWATCH + 5 : 0));
  return widths.length === 0 ? 0 : Math.min(Math.max(...widths) + GAP, widthOf(edges) * MAX_SHARE_OF_WIDTH);
}

/**
 * Names beside the right ends of the marks, at the heights `y`, moved apart so that they do not touch, each with a thin line to its mark.
 * If there is no room for all, a count replaces the last ones.
 */
export function sideLabels(
  labels: readonly (SideLabel & { y: number })[],
  inner: Box,
  right: number,
  theme: ChartTheme,
): string[] {
  const height = LABEL_SIZE * LINE_HEIGHT - 1;
  const room = right - inner.right - GAP;
  const [top, bottom] = [inner.top - height / 2, inner.bottom + height / 2];
  const most = Math.max(1, Math.floor((bottom - top) / height));
  const rest = {
    text: `and ${labels.length - most + 1} more`,
    y: bottom,
    colour: 'muted' as const,
    area: false,
  };
  const shown = labels.length <= most ? labels : [...labels.slice(0, most - 1), rest];
  const places = spread(
    shown.map(({ y }) => y),
    height,
    [top, bottom],
  );
  return shown.flatMap(({ text, y, colour: name, area = false }, index) => {
    const at = places[index]!;
    const colour = colourIn(theme, name);
    const indent = area ? SWATCH + 5 : 0;
    const x = inner.right + GAP;
    const fill = area ? theme.ink : colour;
    const ends = { x1: inner.right + 2, y1: y, x2: x - 3, y2: at };
    const leader = { ...ends, stroke: theme.muted, 'stroke-width': 0.75 };
    return [
      ...(Math.abs(at - y) < 3 ? [] : [element('line', leader)]),
      ...(area ? [symbol('square', x + SWATCH / 2, at, SWATCH / 2, colour)] : []),
      label(clipText(text, room - indent + 1, LABEL_SIZE), x + indent, at, { fill }),
    ];
  });
}

/** The middles of things of one size between two ends, moved apart so that none overlaps: each goes no further than the others push it. */
export function spread(
  middles: readonly number[],
  size: number,
  [low, high]: readonly [number, number],
): number[] {
  const order = middles.map((_, index) => index).sort((a, b) => middles[a]! - middles[b]!);
  const places = [...middles];
  let free = low + size / 2;
  for (const index of order) {
    places[index] = Math.max(middles[index]!, free);
    free = places[index] + size;
  }
  let limit = high - size / 2;
  for (const index of order.toReversed()) {
    places[index] = Math.min(places[index]!, limit);
    limit = places[index] - size;
  }
  return places;
}
