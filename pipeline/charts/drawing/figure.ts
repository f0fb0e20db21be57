import { type Annotation, annotationList } from './annotations.ts';
import { digestOf, element, textElement } from './element.ts';
import { BOLD, LABEL_SIZE, type LabelStyle, paragraph } from './label.ts';
import { type Marked, markBlock } from './mark.ts';
import { type Block, NARROW, type Room, space, stacked } from './plot.ts';
import { THEMES, type ThemeName } from './theme.ts';

export interface Picture {
  /** Pixels, from 280: in narrower pictures labels cover the marks. */
  width: number;
  theme: ThemeName;
  /** `plot` omits title, unit, source and background, for a page that shows them itself. */
  parts?: 'whole' | 'plot';
  onScale?: Room['onScale'];
  /** For a page that lists the annotations itself: the picture has their marks only. */
  withoutList?: boolean;
}

/** What a picture shows of a chart. */
interface Figure {
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
  plot: Marked | null;
}

const PADDING = 16;
const GAP = 12;

/** The size of a picture in whole pixels, and its elements. */
export function drawFigure(figure: Figure, picture: Picture): { height: number; draw: () => string } {
  const { width, theme: name, parts = 'whole', onScale } = picture;
  const isWhole = parts === 'whole';
  const padding = isWhole ? PADDING : 0;
  const theme = THEMES[name];
  const words = figure.summary.join(' ');
  // A page may hold the same chart in two states, or as it was on two days.
  const id = `chart-${figure.id}-${width}-${name}-${digestOf([figure.title, figure.unit, words].join())}`;
  const room = { left: padding, right: width - padding, theme, id, onScale };
  const plotted = plotOf(figure, picture, room);
  const content = stacked([
    space(padding),
    ...(isWhole ? [...heading(figure, room, width), space(GAP)] : []),
    { ...plotted, height: Math.ceil(plotted.height) },
    ...(isWhole ? [space(GAP), ...footer(figure, room)] : []),
    space(padding),
  ]);
  const height = Math.ceil(content.height);
  const draw = () =>
    element(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: 'img',
        'aria-labelledby': `${id}-title ${id}-summary`,
        'font-family': theme.font,
        'font-size': LABEL_SIZE,
        'font-variant': 'tabular-nums',
      },
      textElement('title', { id: `${id}-title` }, figure.title),
      textElement('desc', { id: `${id}-summary` }, words),
      ...(isWhole ? [element('rect', { width, height, fill: theme.paper })] : []),
      ...content.draw(0),
    );
  return { height, draw };
}

function plotOf({ plot, annotations, summary }: Figure, { withoutList }: Picture, room: Room): Block {
  if (!plot) return notice(summary.join(' '), room);
  const list = withoutList ? [] : [annotationList(annotations, room)];
  return stacked([markBlock(plot, annotations, room), ...list]);
}

function heading({ title, finding, unit }: Figure, room: Room, width: number): Block[] {
  const { ink, muted, titleFont } = room.theme;
  const first = { fill: ink, size: width < NARROW ? 17 : 20, weight: BOLD, font: titleFont };
  const second = { fill: ink, size: 14, weight: BOLD };
  return [
    lines(finding ?? title, room, 3, first),
    ...(finding === null ? [] : [lines(title, room, 3, second)]),
    lines(unit, room, 4, { fill: muted, size: 13 }),
  ];
}

function footer({ note, source }: Figure, room: Room): Block[] {
  return [note, source]
    .filter((words) => words !== '')
    .map((words) => lines(words, room, 5, { fill: room.theme.muted, size: 11 }));
}

function lines(words: string, room: Room, most: number, style: LabelStyle & { size: number }): Block {
  return stacked([paragraph(words, room, most, style), space(3)]);
}

const LEAST_NOTICE = 120;
const NOTICE_WIDTH = 520;

/** A frame that says why it is empty. */
function notice(words: string, { left, right, theme }: Room): Block {
  const inner = { left: left + PADDING, right: Math.min(right - PADDING, left + PADDING + NOTICE_WIDTH) };
  const text = paragraph(words, inner, 9, { fill: theme.muted, size: LABEL_SIZE });
  const height = Math.ceil(Math.max(LEAST_NOTICE, text.height + 2 * PADDING));
  const frame = {
    x: left + 0.5,
    width: right - left - 1,
    height: height - 1,
    fill: 'none',
    stroke: theme.rule,
  };
  const draw = (top: number) => [
    element('rect', { ...frame, y: top + 0.5 }),
    ...text.draw(top + (height - text.height) / 2),
  ];
  return { height, draw };
}
