import { config } from 'zod';
import { PublishedFiles } from '../../../pipeline/artifacts/published-files.ts';
import type { OpenChart } from '../../../pipeline/charts/chart.ts';
import { embedCode } from '../../../pipeline/charts/chart-address.ts';
import type { ChartState } from '../../../pipeline/charts/chart-state.ts';
import { chartCsv } from '../../../pipeline/charts/chart-table.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import type { ChartFacts } from './chart-facts.ts';
import { EMBED_WIDTH, frameHeight } from './frame-height.ts';
import { annotationsHtml, type Place, tableHtml, viewChart } from './view-chart.ts';

/** The parts of a page that depend on the state: text and HTML by `data-part`, row count and live embed code. */
export interface Redrawn {
  text: Readonly<Record<'heading' | 'subtitle' | 'title' | 'unit' | 'note' | 'source' | 'caption', string>>;
  html: Readonly<Record<'picture' | 'annotations' | 'summary' | 'table', string>>;
  rows: number;
  live: string;
}

/** A chart in the browser, with the same functions and files as in the build. */
export interface ChartTools {
  /** The time of the data, which can be newer than the page. */
  asOf: string;
  /** Throws usage if the state names a series that the data does not have. */
  redraw(state: ChartState, place: Place): Redrawn;
  csv(state: ChartState): string;
  svg(state: ChartState): string;
}

declare global {
  /** Set by this script, which pages load when a reader first asks for another view. */
  var openChartTools: ((facts: ChartFacts) => Promise<ChartTools>) | undefined;
}

// zod would test whether it may compile code. The content policy forbids that, and the console would report it.
config({ jitless: true });

globalThis.openChartTools = async (facts) => {
  const kind = findChart(facts.id)!;
  const texts = await Promise.all(kind.sources.map(async (path) => [path, await read(path)]));
  const chart = kind.open(PublishedFiles.of(Object.fromEntries(texts)), facts.organisation);
  return {
    asOf: chart.asOf,
    redraw: (state, place) => redraw(chart, state, { facts, place }),
    csv: (state) => chartCsv(chart.show(state)),
    svg: (state) => chart.show(state).draw({ width: EMBED_WIDTH, theme: 'light' }),
  };
};

async function read(path: string): Promise<string> {
  const response = await fetch(`/${path}`);
  if (!response.ok) throw new Error(`/${path} ${response.status}`);
  return response.text();
}

function redraw(
  chart: OpenChart,
  state: ChartState,
  { facts, place }: { facts: ChartFacts; place: Place },
): Redrawn {
  const view = viewChart(chart, state, place);
  const { query, heading, subtitle, title, unit, note, summary, annotations, rows, pictures } = view;
  const { baseUrl, id } = facts;
  return {
    text: { heading, subtitle, title, unit, note, source: chart.source, caption: title },
    html: {
      picture: pictures,
      summary: summary.map((sentence) => `<p>${escapeText(sentence)}</p>`).join(''),
      annotations: annotationsHtml(annotations),
      table: tableHtml(view),
    },
    rows: rows.length,
    live: embedCode({ baseUrl, id, query, title, height: frameHeight(view) }),
  };
}
