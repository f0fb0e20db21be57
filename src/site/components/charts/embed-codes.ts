import { permanentPathOfSource } from '../../../../pipeline/artifacts/as-of.ts';
import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { pagePath } from '../../../../pipeline/charts/chart-address.ts';
import { type ChartState, formatChartState } from '../../../../pipeline/charts/chart-state.ts';
import { escapeText } from '../../../../pipeline/charts/drawing/element.ts';
import { formatDay, formatMoment } from '../../../../pipeline/words/moment.ts';
import type { ChartFacts } from './chart-facts.ts';
import { tableHtml } from './view-chart.ts';

interface FrozenSource {
  path: string;
  /** Hex; null if it is not known. */
  sha256: string | null;
}

/** Width of the frame, and of the drawing in a frozen embed, px. */
export const EMBED_WIDTH = 720;
/** A frame on a phone, px. */
const NARROW_WIDTH = 360;
/** Height of everything around the drawing, px: source, table, margins. Narrow frames break words into more lines. */
const AROUND = 120;
const AROUND_NARROW = 205;
/** The most empty space below the chart in a wide frame, px. */
const MOST_EMPTY = 300;

/**
 * Height of a frame whose width is not known, and which keeps it where the page around it runs no script: that of a phone, since empty
 * space is better than a chart that is cut off. A very tall narrow chart scrolls. px
 */
export function frameHeight(chart: Chart, data: unknown, state: ChartState): number {
  const drawn = (width: number) =>
    Number(/ height="(\d+)"/.exec(chart.draw(data, state, { width, theme: 'light' }))![1]);
  const wide = drawn(EMBED_WIDTH) + AROUND;
  return Math.max(wide, Math.min(drawn(NARROW_WIDTH) + AROUND_NARROW, wide + MOST_EMPTY));
}

/**
 * The chart with its table as self-contained HTML: no script, style sheet or request. It cannot change, and it outlives
 * this service.
 */
export function frozenCode(
  chart: Chart,
  data: unknown,
  state: ChartState,
  { id, baseUrl, sources }: Pick<ChartFacts, 'id' | 'baseUrl'> & { sources: readonly FrozenSource[] },
): string {
  const name = frozenName(chart, data);
  const url = escapeText(baseUrl + pagePath(id, formatChartState(chart, state)));
  const files = sources.map(({ path, sha256 }) => {
    const hash = sha256 === null ? '' : ` (SHA-256 <code>${sha256}</code>)`;
    const asOf = chart.asOf(data);
    const address = asOf === '' ? path : permanentPathOfSource(path, asOf);
    return `<a href="${escapeText(`${baseUrl}/${address}`)}">${escapeText(path)}</a>${hash}`;
  });
  return [
    `<figure id="cathedral-${name}">`,
    frozenPicture(chart, data, state, name),
    '<figcaption>',
    // In print and beside text, hashes of body size would be louder than the chart.
    `<p><small>Frozen${frozenTime(chart, data)}. Made of ${files.join(', ')}. <a href="${url}">This chart as it is now</a>. <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.</small></p>`,
    `<details><summary>${escapeText(`Table: ${chart.title(data, state)}`)}</summary>`,
    `<table>${tableHtml(chart.table(data, state))}</table>`,
    '</details>',
    '</figcaption>',
    '</figure>\n',
  ].join('\n');
}

/** `supply-20260930180000`: its id and the time of its data, which tell it from other frozen charts on the same page. */
function frozenName(chart: Chart, data: unknown): string {
  return `${chart.id}-${chart.asOf(data).replaceAll(/\D/g, '')}`;
}

/** A chart of whole days names the last one. */
function frozenTime(chart: Chart, data: unknown): string {
  const asOf = chart.asOf(data);
  if (asOf === '') return '';
  return asOf.length === 10 ? ` with whole days up to ${formatDay(asOf)}` : ` as of ${formatMoment(asOf)}`;
}

/** Makes a drawing as wide as its container, with ids that do not clash with another frozen chart on the same page. */
function frozenPicture(chart: Chart, data: unknown, state: ChartState, name: string): string {
  return chart
    .draw(data, state, { width: EMBED_WIDTH, theme: 'light' })
    .replaceAll(`chart-${chart.id}-`, `chart-${name}-`)
    .replace(/ width="\d+" height="\d+"/, ' width="100%"');
}
