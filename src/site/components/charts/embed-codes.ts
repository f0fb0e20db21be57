import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { pagePath } from '../../../../pipeline/charts/chart-address.ts';
import { type ChartState, formatChartState } from '../../../../pipeline/charts/chart-state.ts';
import { escapeText } from '../../../../pipeline/charts/drawing/element.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import type { ChartFacts } from './chart-facts.ts';
import { tableHtml } from './view-chart.ts';

/** Width of the frame, and of the drawing in a frozen embed, px. */
export const EMBED_WIDTH = 720;
/** Height of everything around the drawing: source, table, margins, px. */
const AROUND = 120;

/** Height at which a frame of `EMBED_WIDTH` needs no scrolling, px. */
export function frameHeight(chart: Chart, data: unknown, state: ChartState): number {
  const svg = chart.draw(data, state, { width: EMBED_WIDTH, theme: 'light' });
  return Number(/ height="(\d+)"/.exec(svg)![1]) + AROUND;
}

/**
 * The chart with its table as self-contained HTML: no script, style sheet or request. It cannot change, and it outlives
 * this service.
 */
export function frozenCode(chart: Chart, data: unknown, state: ChartState, facts: ChartFacts): string {
  const { id, baseUrl, asOf, snapshot, root, sources } = facts;
  const url = escapeText(baseUrl + pagePath(id, formatChartState(chart, state)));
  const files = sources.map(
    ({ path, sha256 }) =>
      `<a href="${escapeText(`${baseUrl}/${path}`)}">${escapeText(path)}</a> (SHA-256 <code>${sha256}</code>)`,
  );
  return [
    `<figure id="cathedral-${id}-${root.slice(0, 8)}">`,
    frozenPicture(chart, data, state, root),
    '<figcaption>',
    `<p>Frozen on ${escapeText(formatMoment(asOf))}, snapshot ${escapeText(snapshot)} of the ledger, Merkle root <code>${root}</code>. Made of ${files.join(', ')}. <a href="${url}">This chart as it is now</a>. <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>.</p>`,
    `<details><summary>${escapeText(`Table: ${chart.title(data, state)}`)}</summary>`,
    `<table>${tableHtml(chart.table(data, state))}</table>`,
    '</details>',
    '</figcaption>',
    '</figure>\n',
  ].join('\n');
}

/** Makes a drawing as wide as its container, with ids that do not clash with another frozen chart on the same page. */
function frozenPicture(chart: Chart, data: unknown, state: ChartState, root: string): string {
  return chart
    .draw(data, state, { width: EMBED_WIDTH, theme: 'light' })
    .replaceAll(`chart-${chart.id}-`, `chart-${chart.id}-${root.slice(0, 8)}-`)
    .replace(/ width="\d+" height="\d+"/, ' width="100%"');
}
