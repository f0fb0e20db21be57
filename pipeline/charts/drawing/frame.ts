import { element, textElement } from './element.ts';
import type { ChartTheme } from './theme.ts';

export interface ChartSize {
  /** Pixels of the drawing's own coordinates; on a page it scales down with its column. */
  width: number;
  height: number;
}

interface Words {
  /** Unique in a page: a chart may be there in two sizes. */
  id: string;
  title: string;
  /** What a reader who does not see the picture gets instead. */
  summary: string;
}

/** The `svg` element of a chart with its text alternatives. */
export function frame(
  { id, title, summary }: Words,
  { width, height }: ChartSize,
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
