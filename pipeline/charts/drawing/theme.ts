import type { Cathedral } from '../../ledger/event.ts';
import { CATHEDRALS } from '../../ledger/vocabulary.ts';

/** Colours and type of a chart. A value is whatever an SVG presentation attribute takes. */
export interface ChartTheme {
  /** The background. */
  paper: string;
  ink: string;
  muted: string;
  rule: string;
  /** The subject of the chart. */
  accent: string;
  /** The reference that the subject is compared with. */
  contrast: string;
  /** Five colours that stay apart for every kind of colour vision, see test/charts/theme.test.ts. */
  series: readonly [string, string, string, string, string];
  font: string;
  titleFont: string;
}

const FONT = "'Source Sans 3', 'Helvetica Neue', Arial, sans-serif";
const TITLE_FONT = "'Source Serif 4', Georgia, 'Times New Roman', serif";

const LIGHT = {
  paper: '#fcfaf5',
  ink: '#1f1e1b',
  muted: '#5d5950',
  rule: '#ddd8cb',
  accent: '#1d4f7c',
  contrast: '#a13d1f',
  series: ['#376bbe', '#124a19', '#ae4a69', '#52336b', '#89670e'],
  font: FONT,
  titleFont: TITLE_FONT,
} as const satisfies ChartTheme;

/**
 * `page` takes its colours from the page, so it follows the reader's light or dark theme; the others stand alone. `print` is
 * `light` on white paper, for charts inside documents. Every colour that carries meaning has a contrast of at least 4.5 : 1
 * against its background.
 */
export const THEMES = {
  light: LIGHT,
  dark: {
    paper: '#171614',
    ink: '#ece8de',
    muted: '#aba599',
    rule: '#3a3731',
    accent: '#8fbce8',
    contrast: '#f0a184',
    series: ['#6591e9', '#53eabf', '#d27666', '#d3c8ff', '#efcd71'],
    font: FONT,
    titleFont: TITLE_FONT,
  },
  print: { ...LIGHT, paper: '#ffffff' },
  page: {
    paper: 'var(--paper)',
    ink: 'var(--ink)',
    muted: 'var(--muted)',
    rule: 'var(--rule)',
    accent: 'var(--accent)',
    contrast: 'var(--contrast)',
    series: ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)', 'var(--series-5)'],
    font: 'inherit',
    titleFont: 'inherit',
  },
} as const satisfies Record<string, ChartTheme>;

export type ThemeName = keyof typeof THEMES;

/** A cathedral has the same colour in every chart; one that is not known is muted. */
export function cathedralColour(theme: ChartTheme, cathedral: string): string {
  return theme.series[CATHEDRALS.indexOf(cathedral as Cathedral)] ?? theme.muted;
}
