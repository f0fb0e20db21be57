import type { APIRoute } from 'astro';
import { chartFacts, chartSources } from '../../../../components/charts/chart-facts.ts';
import { frozenCode } from '../../../../components/charts/embed-codes.ts';
import { askedState, openChart } from '../../../../components/charts/open-chart.ts';
import { openRelease } from '../../../../components/release.ts';

// Renders `/embed/supply/frozen.txt?series=burned`, like charts/on-demand.
export const GET: APIRoute = ({ params, url }) => {
  const release = openRelease();
  const open = openChart(release, params.id!);
  const { state, fault } = askedState(open, url.search);
  if (fault !== null) return new Response(`${fault}\n`, { status: 400 });
  const { chart, data } = open;
  const facts = { ...chartFacts(release, chart), sources: chartSources(release, chart) };
  return new Response(frozenCode(chart, data, state, facts));
};
