import { element, textElement } from './element.ts';
import { BOLD, LINE_HEIGHT, label, wrapText } from './label.ts';
import { type Box, NARROW, type Plot } from './plot.ts';
import { type ChartTheme, THEMES, type ThemeName } from './theme.ts';

export interface Picture {
  /** Pixels, from 280: in narrower pictures labels cover the marks. */
  width: number;
  /** Never less than the labels need; by default, what suits the width. */
  height?: number;
  theme: ThemeName;
  /** `plot` omits title, unit, source and background, for a page that shows them itself. */
  parts?: 'whole' | 'plot';
  onScale?: Plot['onScale'];
  /** For a page that lists the annotations itself: the picture has their marks only. */
  withoutList?: boolean;
}

interface Words {
  /** Unique in a page. */
  id: string;
  title: string;
  /** Null: the title is the heading. */
  finding: string | null;
  unit: string;
  /** Below the plot, each on a new line. */
  notes: string[];
  /** The text alternative. */
  summary: string;
}

interface Block {
  lines: string[];
  size: number;
  fill: keyof ChartTheme & ('ink' | 'muted');
  weight?: number;
  serif?: boolean;
}

const PADDING = 16;
const GAP = 12;

/** A whole picture: title, unit, the plot in the remaining height, source. Without marks, a frame with the summary. */
export function figure(
  words: Words,
  { width, height, theme: themeName, parts = 'whole', onScale, withoutList = false }: Picture,
  marks: { height: (width: number) => number; draw: (plot: Plot) => string[] } | null,
): string {
  const theme = THEMES[themeName];
  const padding = parts === 'whole' ? PADDING : 0;
  const inner = width - 2 * padding;
  const above = parts === 'whole' ? header(words, width, inner) : [];
  const below = parts === 'whole' ? footer(words, inner) : [];
  const around = 2 * padding + blockHeight(above) + blockHeight(below);
  const wanted = Math.ceil(marks ? marks.height(inner) : noticeHeight(words, inner));
  const plotted = Math.max(wanted, (height ?? 0) - around);
  const total = Math.ceil(plotted + around);
  const top = padding + blockHeight(above);
  const box = { left: padding, right: width - padding, top, bottom: top + plotted };
  const id = `chart-${words.id}-${width}-${themeName}`;
  return frame(
    { id, title: words.title, summary: words.summary },
    { width, height: total },
    theme,
    [
      ...(parts === 'whole' ? [element('rect', { width, height: total, fill: theme.paper })] : []),
      ...textBlocks(above, padding, padding, theme),
      ...(marks ? marks.draw({ box, theme, id, onScale, withoutList }) : notice(words, box, theme)),
      ...textBlocks(below, padding, box.bottom + GAP, theme),
    ],
    { 'font-variant': 'tabular-nums' },
  );
}

function header({ title, finding, unit }: Words, width: number, inner: number): Block[] {
  const size = width < NARROW ? 17 : 20;
  return [
    {
      lines: wrapText(finding ?? title, inner, size, { most: 3, weight: BOLD }),
      size,
      fill: 'ink',
      weight: BOLD,
      serif: true,
    },
    ...(finding === null
      ? []
      : [
          {
            lines: wrapText(title, inner, 14, { most: 3, weight: BOLD }),
            size: 14,
            fill: 'ink' as const,
            weight: BOLD,
          },
        ]),
    { lines: wrapText(unit, inner, 13, { most: 4 }), size: 13, fill: 'muted' },
  ];
}

function footer({ notes }: Words, inner: number): Block[] {
  return notes.map((note) => ({ lines: wrapText(note, inner, 11, { most: 5 }), size: 11, fill: 'muted' }));
}

function blockHeight(blocks: Block[]): number {
  if (blocks.length === 0) return 0;
  return GAP + blocks.reduce((sum, { lines, size }) => sum + lines.length * size * LINE_HEIGHT + 3, 0);
}

function textBlocks(blocks: Block[], x: number, top: number, theme: ChartTheme): string[] {
  let y = top;
  return blocks.flatMap(({ lines, size, fill, weight, serif }) => {
    const marks = lines.map((line, index) =>
      label(line, x, y + (index + 0.5) * size * LINE_HEIGHT, {
        fill: theme[fill],
        size,
        ...(weight === undefined ? {} : { weight }),
        ...(serif ? { font: theme.titleFont } : {}),
      }),
    );
    y += lines.length * size * LINE_HEIGHT + 3;
    return marks;
  });
}

const LEAST_NOTICE = 120;
const NOTICE_LINE = 13 * LINE_HEIGHT;

const noticeLines = ({ summary }: Words, width: number) =>
  wrapText(summary, Math.min(width - 32, 520), 13, { most: 9 });

function noticeHeight(words: Words, width: number): number {
  return Math.max(LEAST_NOTICE, (noticeLines(words, width).length + 2) * NOTICE_LINE);
}

/** A frame that says why it is empty. */
function notice(words: Words, { left, right, top, bottom }: Box, theme: ChartTheme): string[] {
  const [width, height] = [right - left, bottom - top];
  const lines = noticeLines(words, width);
  const first = top + height / 2 - ((lines.length - 1) * NOTICE_LINE) / 2;
  return [
    element('rect', {
      x: left + 0.5,
      y: top + 0.5,
      width: width - 1,
      height: height - 1,
      fill: 'none',
      stroke: theme.rule,
    }),
    ...lines.map((line, index) =>
      label(line, left + width / 2, first + index * NOTICE_LINE, { fill: theme.muted, anchor: 'middle' }),
    ),
  ];
}

/** The `svg` element of a chart with its text alternatives. */
function frame(
  { id, title, summary }: Pick<Words, 'id' | 'title' | 'summary'>,
  { width, height }: Record<'width' | 'height', number>,
  theme: ChartTheme,
  marks: string[],
  attributes: Record<string, string | number> = {},
): string {
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'aria-labelledby': `${id}-title ${id}-summary`,
      'font-family': theme.font,
      'font-size': 13,
      ...attributes,
    },
    textElement('title', { id: `${id}-title` }, title),
    textElement('desc', { id: `${id}-summary` }, summary),
    ...marks,
  );
}
