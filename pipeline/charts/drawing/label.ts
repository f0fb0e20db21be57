import { textElement } from './element.ts';

export const LABEL_SIZE = 13;
export const TICK_SIZE = 12;
/** Distance between the baselines of two lines, in parts of the size. */
export const LINE_HEIGHT = 1.3;

export interface LabelStyle {
  fill: string;
  size?: number;
  anchor?: 'start' | 'middle' | 'end';
  weight?: number;
  font?: string;
  /** Colour around the letters, where marks pass behind them. */
  halo?: string;
}

/** A line of text whose middle is at `y`: presentation attributes have no vertical centring that every reader knows. */
export function label(
  text: string,
  x: number,
  y: number,
  { fill, size = LABEL_SIZE, anchor = 'start', weight, font, halo }: LabelStyle,
): string {
  return textElement(
    'text',
    {
      x,
      y: y + size * 0.35,
      fill,
      'font-size': size === LABEL_SIZE ? null : size,
      'text-anchor': anchor === 'start' ? null : anchor,
      'font-weight': weight ?? null,
      'font-family': font ?? null,
      ...(halo === undefined
        ? {}
        : { stroke: halo, 'stroke-width': 4, 'stroke-linejoin': 'round', 'paint-order': 'stroke' }),
    },
    text,
  );
}
