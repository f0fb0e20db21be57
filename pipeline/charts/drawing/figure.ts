import { type Annotation, annotationList, listHeight } from './annotations.ts';
import { element, textElement } from './element.ts';
import { BOLD, LABEL_SIZE, LINE_HEIGHT, label, wrapText } from './label.ts';
import { drawMark, type Marked, markHeight } from './mark.ts';
import { type Box, NARROW, type Plot } from './plot.ts';
import { type ChartTheme, THEMES, type ThemeName } from './theme.ts';

export interface Picture {
  /** Pixels, from 280: in narrower pictures labels cover the marks. */
  width: number;
  theme: ThemeName;
  /** `plot` omits title, unit, source and background, for a page that shows them itself. */
  parts?: 'whole' | 'plot';
  onScale?: Plot['onScale'];
  /** For a page that lists the annotations itself: the picture has their marks only. */
  withoutList?: boolean;
}

/** What a picture shows of a chart. */
interface Figure {
  /** Unique in a page. */
  id: string;
  title: string;
  /** Null: the title is the heading. */
  finding: string | null;
  unit: string;
  note: string;
  source: string;
  /** The text alternative. */
  summary: readonly string[];
  annotations: readonly Annotation[];
  /** Null: a frame with the summary. */
  plot: Omit<Marked, 'annotations'> | null;
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

/** Of title and unit, the plot, the words of its annotations, note and source. */
function layoutOf(figure: Figure, { width, parts = 'whole', withoutList = false }: Picture) {
  const padding = parts === 'whole' ? PADDING : 0;
  const inner = width - 2 * padding;
  const above = parts === 'whole' ? header(figure, width, inner) : [];
  const below = parts === 'whole' ? footer(figure, inner) : [];
  const marked = figure.plot && { ...figure.plot, annotations: figure.annotations };
  const list = withoutList ? 0 : listHeight(figure.annotations, inner);
  const plotted = marked ? markHeight(marked, inner) + list : noticeHeight(figure, inner);
  const top = padding + blockHeight(above);
  const box = { left: padding, right: width - padding, top, bottom: top + Math.ceil(plotted) };
  return {
    padding,
    above,
    below,
    marked,
    list,
    box,
    total: Math.ceil(box.bottom + blockHeight(below) + padding),
  };
}

export function figureHeight(figure: Figure, picture: Picture): number {
  return layoutOf(figure, picture).total;
}

export function drawFigure(figure: Figure, picture: Picture): string {
  const { width, theme: themeName, onScale } = picture;
  const { padding, above, below, marked, list, box, total } = layoutOf(figure, picture);
  const theme = THEMES[themeName];
  const id = `chart-${figure.id}-${width}-${themeName}`;
  const bottom = box.bottom - list;
  const plot = { box: { ...box, bottom }, theme, id, onScale };
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${total}`,
      width,
      height: total,
      role: 'img',
      'aria-labelledby': `${id}-title ${id}-summary`,
      'font-family': theme.font,
      'font-size': LABEL_SIZE,
      'font-variant': 'tabular-nums',
    },
    textElement('title', { id: `${id}-title` }, figure.title),
    textElement('desc', { id: `${id}-summary` }, figure.summary.join(' ')),
    ...(padding > 0 ? [element('rect', { width, height: total, fill: theme.paper })] : []),
    ...textBlocks(above, padding, padding, theme),
    ...(marked ? drawMark(marked, plot) : notice(figure, box, theme)),
    ...(list > 0 ? annotationList(figure.annotations, { ...box, top: bottom }, theme) : []),
    ...textBlocks(below, padding, box.bottom + GAP, theme),
  );
}

function header({ title, finding, unit }: Figure, width: number, inner: number): Block[] {
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

function footer({ note, source }: Figure, inner: number): Block[] {
  return [note, source]
    .filter((line) => line !== '')
    .map((line) => ({ lines: wrapText(line, inner, 11, { most: 5 }), size: 11, fill: 'muted' }));
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
const NOTICE_LINE = LABEL_SIZE * LINE_HEIGHT;

const noticeLines = ({ summary }: Figure, width: number) =>
  wrapText(summary.join(' '), Math.min(width - 32, 520), LABEL_SIZE, { most: 9 });

function noticeHeight(figure: Figure, width: number): number {
  return Math.max(LEAST_NOTICE, (noticeLines(figure, width).length + 2) * NOTICE_LINE);
}

/** A frame that says why it is empty. */
function notice(figure: Figure, { left, right, top, bottom }: Box, theme: ChartTheme): string[] {
  const [width, height] = [right - left, bottom - top];
  const lines = noticeLines(figure, width);
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
