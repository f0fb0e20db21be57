import type { Cathedral } from '../../ledger/events/event.ts';
import { CATHEDRALS } from '../../ledger/events/vocabulary.ts';

/** Colours and type of a chart. A value is whatever an SVG presentation attribute takes. */
export interface ChartTheme {
  /** The background. */
  paper: string;
  ink: string;
  muted: string;
  rule: string;
  /** The one measure that a chart is about. Like `parts` of no area's and no cathedral's hue, so that it fits each portal. */
  subject: string;
  /** A limit, and what is beyond it: minting off, offline, overdue, breached, opposed. */
  contrast: string;
  /** A state between good and bad: degraded, at risk. */
  warning: string;
  /** The cathedrals. These stay apart for every kind of colour vision, see test/charts/theme.test.ts. */
  series: readonly [string, string, string, string, string];
  /** Large areas: parts of a whole, from the largest; the last one for all others. Without a meaning of their own. */
  parts: readonly [string, string, string, string, string, string];
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
  subject: '#33485c',
  contrast: '#a13d1f',
  warning: '#e0601a',
  series: ['#376bbe', '#124a19', '#ae4a69', '#52336b', '#89670e'],
  parts: ['#6d8eae', '#234867', '#a98253', '#67461b', '#35302c', '#746e68'],
  font: FONT,
  titleFont: TITLE_FONT,
} as const satisfies ChartTheme;

/**
 * `page` takes its colours from the page, so it follows the reader's light or dark theme; the others stand alone. `print` is
 * `light` on white paper, for charts inside documents. A colour of text and lines has a contrast of at least 4.5 : 1 against its
 * background, one of areas (`parts`, `warning`) of at least 3 : 1; docs/charts.md has the meaning of each.
 */
export const THEMES = {
  light: LIGHT,
  dark: {
    paper: '#171614',
    ink: '#ece8de',
    muted: '#aba599',
    rule: '#3a3731',
    subject: '#a9bfd4',
    contrast: '#f0a184',
    warning: '#e07a1a',
    series: ['#6591e9', '#53eabf', '#d27666', '#d3c8ff', '#efcd71'],
    parts: ['#517291', '#b4d6fa', '#876438', '#e6bb8b', '#faeee2', '#aba49d'],
    font: FONT,
    titleFont: TITLE_FONT,
  },
  print: { ...LIGHT, paper: '#ffffff' },
  page: {
    paper: 'var(--paper)',
    ink: 'var(--ink)',
    muted: 'var(--muted)',
    rule: 'var(--rule)',
    subject: 'var(--subject)',
    contrast: 'var(--contrast)',
    warning: 'var(--warning)',
    series: ['var(--series-1)', 'var(--series-2)', 'var(--series-3)', 'var(--series-4)', 'var(--series-5)'],
    parts: [
      'var(--part-1)',
      'var(--part-2)',
      'var(--part-3)',
      'var(--part-4)',
      'var(--part-5)',
      'var(--part-6)',
    ],
    font: 'inherit',
    titleFont: 'inherit',
  },
} as const satisfies Record<string, ChartTheme>;

export type ThemeName = keyof typeof THEMES;

/** A colour by what it means: `series-2` is the second cathedral, `part-1` the largest part of a whole. */
export type Colour =
  | 'ink'
  | 'muted'
  | 'subject'
  | 'contrast'
  | 'warning'
  | `series-${number}`
  | `part-${number}`;

export function colourIn(theme: ChartTheme, colour: Colour): string {
  const [name, number] = colour.split('-');
  if (name === 'series') return theme.series[Number(number) - 1]!;
  if (name === 'part') return theme.parts[Number(number) - 1]!;
  return theme[colour as 'ink' | 'muted' | 'subject' | 'contrast' | 'warning'];
}

/** A cathedral has the same colour in every chart; one that is not known is muted. */
export function cathedralColour(cathedral: string): Colour {
  const at = CATHEDRALS.indexOf(cathedral as Cathedral);
  return at < 0 ? 'muted' : `series-${at + 1}`;
}
