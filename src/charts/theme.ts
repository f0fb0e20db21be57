/** Colours and type of a chart. A value is whatever an SVG presentation attribute takes. */
export interface ChartTheme {
  ink: string;
  muted: string;
  rule: string;
  /** What the chart is about. */
  accent: string;
  /** What it is held against. */
  contrast: string;
  font: string;
}

const FONT = "'Source Sans 3', 'Helvetica Neue', Arial, sans-serif";

/**
 * `page` takes its colours from the page around it, so it follows the reader's light or dark; the other two stand alone.
 * Every colour that carries meaning has 4.5 : 1 at least against its ground.
 */
export const THEMES = {
  light: {
    ink: '#1f1e1b',
    muted: '#5d5950',
    rule: '#ddd8cb',
    accent: '#1d4f7c',
    contrast: '#a13d1f',
    font: FONT,
  },
  dark: {
    ink: '#ece8de',
    muted: '#aba599',
    rule: '#3a3731',
    accent: '#8fbce8',
    contrast: '#f0a184',
    font: FONT,
  },
  page: {
    ink: 'var(--ink)',
    muted: 'var(--muted)',
    rule: 'var(--rule)',
    accent: 'var(--accent)',
    contrast: 'var(--contrast)',
    font: 'inherit',
  },
} as const satisfies Record<string, ChartTheme>;
