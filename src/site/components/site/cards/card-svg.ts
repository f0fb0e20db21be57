import { element } from '../../../../../pipeline/charts/drawing/element.ts';
import { LINE_HEIGHT, label, wrapText } from '../../../../../pipeline/charts/drawing/label.ts';
import { THEMES } from '../../../../../pipeline/charts/drawing/theme.ts';

/** Size in units of the drawing. A card has two pixels per unit. */
export const CARD = { width: 600, height: 315 } as const;

const MARGIN = 36;
const INNER = CARD.width - 2 * MARGIN;
const THEME = THEMES.light;

/** In units of the drawing. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface CardWords {
  /** The accent of the area or the service. */
  accent: string;
  /** Above the title. */
  label: string;
  title: string;
  /** Below the title; can be empty. */
  subtitle: string;
  /** At the foot: the time of the data. */
  foot: string;
}

/**
 * The preview that other sites show with a link: title, picture, name and time. `body` receives the box between title and
 * foot, and returns SVG elements.
 */
export function cardSvg(
  { accent, label: above, title, subtitle, foot }: CardWords,
  titleSize: number,
  body: (box: Box) => string[],
): string {
  const titles = wrapText(title, INNER, titleSize, 2);
  const subtitles = wrapText(subtitle, INNER, 14, 2);
  let y = 42;
  const line = (text: string, size: number, style: Parameters<typeof label>[3]) => {
    const mark = label(text, MARGIN, y + (size * LINE_HEIGHT) / 2, { size, ...style });
    y += size * LINE_HEIGHT;
    return mark;
  };
  const words = [
    line(above.toUpperCase(), 11, { fill: accent, weight: 600 }),
    ...titles.map((text) => line(text, titleSize, { fill: THEME.ink, weight: 600, font: THEME.titleFont })),
    ...subtitles.map((text) => line(text, 14, { fill: THEME.muted })),
  ];
  const bottom = CARD.height - 34;
  const box = { left: MARGIN, top: y + 12, width: INNER, height: bottom - y - 20 };
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      ...CARD,
      viewBox: `0 0 ${CARD.width} ${CARD.height}`,
      'font-family': THEME.font,
    },
    element('rect', { ...CARD, fill: THEME.paper }),
    element('rect', { width: CARD.width, height: 8, fill: accent }),
    ...words,
    ...body(box),
    label('Cathedral Data Service', MARGIN, bottom + 14, {
      size: 13,
      fill: THEME.ink,
      weight: 600,
      font: THEME.titleFont,
    }),
    label(foot, CARD.width - MARGIN, bottom + 14, { size: 11, fill: THEME.muted, anchor: 'end' }),
  );
}
