import type { APIRoute } from 'astro';
import { askedState, openChart } from '../../../components/charts/open-chart.ts';
import { openRelease } from '../../../components/release.ts';
import { drawChart } from '../../../components/site/cards/cards.ts';

// Renders `/cards/charts/supply.png?series=burned`, like charts/on-demand. The server turns it into pixels.
export const GET: APIRoute = ({ params, url }) => {
  const open = openChart(openRelease(), params.id!);
  const { state, fault } = askedState(open, url.search);
  if (fault !== null) return new Response(`${fault}\n`, { status: 400 });
  return new Response(drawChart(open, state), { headers: { 'content-type': 'image/svg+xml' } });
};
