import { PublishedFiles } from '../../../pipeline/artifacts/published-files.ts';
import { embedCode } from '../../../pipeline/charts/chart-address.ts';
import type { ChartState } from '../../../pipeline/charts/chart-state.ts';
import { chartCsv } from '../../../pipeline/charts/chart-table.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { isServed } from '../layout/live/is-served.ts';
import { loadFile } from '../layout/load-file.ts';
import type { ChartFacts } from './chart-facts.ts';
import { EMBED_WIDTH, frameHeight } from './frame-height.ts';
import { type Place, viewChart } from './view-chart.ts';

export type ChartTools = Awaited<ReturnType<typeof openTools>>;

declare global {
  /** Set by this script, which pages load when a reader first asks for another view. */
  var openChartTools: typeof openTools | undefined;
}

globalThis.openChartTools = openTools;

/** A chart in the browser, with the same functions and files as in the build. */
async function openTools(facts: ChartFacts) {
  const kind = findChart(facts.id)!;
  const hasServer = await isServed(location.pathname).catch(() => false);
  const texts = await Promise.all(
    facts.sources.map(async ({ path, sha256 }) => {
      // A server answers with the newest state of a real-time file, and with that of the page where it is asked for it.
      const address = hasServer ? `/${path}?sha256=${sha256}` : `/${path}`;
      return [path, await loadFile(address, (response) => response.text())];
    }),
  );
  const chart = kind.open(PublishedFiles.of(Object.fromEntries(texts)), facts.organisation);
  return {
    /** The time of the data, which can be newer than the page. */
    asOf: chart.asOf,
    /** What a page shows in another state. Throws usage if that names a series that the data does not have. */
    redraw(state: ChartState, place: Place) {
      const view = viewChart(chart, state, place);
      const { query, title, parts } = view;
      const { baseUrl, id } = facts;
      return { title, parts, live: embedCode({ baseUrl, id, query, title, height: frameHeight(view) }) };
    },
    csv: (state: ChartState) => chartCsv(chart.show(state)),
    svg: (state: ChartState) => chart.show(state).draw({ width: EMBED_WIDTH, theme: 'light' }),
  };
}
