import { AREAS, type Area } from '../../../../../pipeline/artifacts/artifact.ts';
import { type ChartState, DEFAULT_STATE } from '../../../../../pipeline/charts/chart-state.ts';
import { element } from '../../../../../pipeline/charts/drawing/element.ts';
import { label } from '../../../../../pipeline/charts/drawing/label.ts';
import { THEMES } from '../../../../../pipeline/charts/drawing/theme.ts';
import { CHARTS } from '../../../../../pipeline/charts/table.ts';
import { formatDay } from '../../../../../pipeline/words/moment.ts';
import { NO_VALUE } from '../../../../../pipeline/words/number.ts';
import { AREA_WORDS } from '../../areas.ts';
import { type OpenChart, openChart } from '../../charts/open-chart.ts';
import { daysOfState } from '../../charts/view-chart.ts';
import { AREA_FIGURES, HOME_FIGURES } from '../../portal/figures.ts';
import type { FigureReader } from '../../portal/key-figure.ts';
import type { SiteRelease } from '../../release.ts';
import { type Box, cardSvg } from './card-svg.ts';

/** The light accents of the style sheet, because a picture has no access to CSS. */
export const ACCENTS: Readonly<Record<Area | 'home', string>> = {
  home: '#33485c',
  government: '#1d4f7c',
  economy: '#1e6146',
  academics: '#8c2940',
  philosophy: '#5b3d8f',
  diplomacy: '#7a4f0b',
};
const FIGURES = 3;

export type CardDrawing = (release: SiteRelease) => string;

/** All cards by their path below `/cards/`, without the ending. */
export const CARDS: ReadonlyMap<string, CardDrawing> = new Map<string, CardDrawing>([
  ['home', drawHome],
  ...AREAS.map((area) => [area, (release: SiteRelease) => drawArea(release, area)] as const),
  ...CHARTS.map(
    ({ id }) =>
      [`charts/${id}`, (release: SiteRelease) => drawChart(openChart(release, id), DEFAULT_STATE)] as const,
  ),
]);

function drawHome(release: SiteRelease): string {
  const words = {
    accent: ACCENTS.home,
    label: 'Open data of an append-only ledger',
    title: 'What the ledger says, as data that anyone can verify',
    subtitle: '',
    foot: asOf(release),
  };
  return cardSvg(words, 30, (box) => figures(release, HOME_FIGURES, box));
}

function drawArea(release: SiteRelease, area: Area): string {
  const { name, title, subject } = AREA_WORDS[area];
  const words = {
    accent: ACCENTS[area],
    label: `${name} data`,
    title,
    subtitle: subject,
    foot: asOf(release),
  };
  return cardSvg(words, 38, (box) => figures(release, AREA_FIGURES[area], box));
}

/** Also on demand, in the states that addresses describe. */
export function drawChart({ chart, data }: OpenChart, state: ChartState): string {
  const [title, finding] = [chart.title(data, state), chart.finding(data, state)];
  const draw = (width: number) => chart.draw(data, state, { width, theme: 'light', parts: 'plot' });
  const words = {
    accent: ACCENTS[chart.area],
    label: [AREA_WORDS[chart.area].title, daysOfState(chart, data, state)]
      .filter((text) => text !== '')
      .join(' · '),
    title: finding ?? title,
    subtitle: finding === null ? '' : title,
    foot: asOfDay(chart.asOf(data)),
  };
  return cardSvg(words, 19, (box) => [fitted(draw, box)]);
}

/** Candidate widths of a chart. A wider one has smaller letters and less height. */
const WIDTHS = [528, 640, 760, 900];
const SIZE = / width="([\d.]+)" height="([\d.]+)"/;
/** A chart that would fill less of its box than this is too tall and is cropped at the foot instead. */
const LEAST_FILLED = 0.5;

/** The chart at the width that fills its box best. */
function fitted(draw: (width: number) => string, { left, top, width, height }: Box): string {
  const tries = WIDTHS.map((wide) => {
    const svg = draw(wide);
    const [, w = '1', h = '1'] = SIZE.exec(svg) ?? [];
    const scale = Math.min(width / Number(w), height / Number(h));
    return { svg, filled: (Number(w) * Number(h) * scale ** 2) / (width * height) };
  });
  const best = tries.toSorted((one, other) => other.filled - one.filled)[0]!;
  const cut = best.filled < LEAST_FILLED;
  const shown = cut ? tries[1]! : best;
  const place = `x="${left}" y="${top}" width="${width}" height="${height}"`;
  return shown.svg.replace(SIZE, ` ${place} preserveAspectRatio="${cut ? 'xMidYMin slice' : 'xMidYMid'}"`);
}

function asOf({ draft }: SiteRelease): string {
  return asOfDay(draft.timestamp);
}

/** `''` of a chart without data. */
function asOfDay(time: string): string {
  return time === '' ? '' : `As of ${formatDay(time)}`;
}

/** The first key figures that have a value, side by side at the foot of the box. */
function figures(
  release: SiteRelease,
  readers: readonly FigureReader[],
  { left, top, width, height }: Box,
): string[] {
  const { ink, muted, rule, titleFont } = THEMES.light;
  const bottom = top + height;
  const step = width / FIGURES;
  const line = { x1: left, x2: left + width, y1: bottom - 62, y2: bottom - 62, stroke: rule };
  const known = readers.map((read) => read(release)).filter(({ value }) => value !== NO_VALUE);
  const marks = known.slice(0, FIGURES).flatMap(({ label: name, value, unit }, index) => {
    const x = left + index * step;
    return [
      label(name.toUpperCase(), x, bottom - 46, { size: 9.5, fill: muted, weight: 600 }),
      label(value, x, bottom - 23, { size: 24, fill: ink, weight: 600, font: titleFont }),
      label(unit, x, bottom - 3, { size: 11, fill: muted }),
    ];
  });
  return [element('line', line), ...marks];
}
