import type { APIRoute } from 'astro';
import { DEFAULT_STATE } from '../../../../../pipeline/charts/chart-state.ts';
import { chartFacts, chartSources } from '../../../components/charts/chart-facts.ts';
import { frozenCode } from '../../../components/charts/embed-codes.ts';
import { openChart } from '../../../components/charts/open-chart.ts';
import { openRelease } from '../../../components/release.ts';

export const GET: APIRoute = ({ params }) => {
  const release = openRelease();
  const { chart, data } = openChart(release, params.id!);
  const facts = { ...chartFacts(release, chart), sources: chartSources(release, chart) };
  return new Response(frozenCode(chart, data, DEFAULT_STATE, facts));
};
