import type { APIRoute } from 'astro';
import { oembedDocument } from '../../../charts/oembed-document.ts';
import { askedState, openChart } from '../../../charts/open-chart.ts';
import { openRelease } from '../../../layout/release.ts';

// Renders `/oembed/supply.json?series=burned`, like charts/on-demand.
export const GET: APIRoute = ({ params, url }) => {
  const release = openRelease();
  const open = openChart(release, params.id!);
  const { state, fault } = askedState(open, url.search);
  if (fault !== null) return new Response(`${fault}.\n`, { status: 400 });
  return new Response(`${JSON.stringify(oembedDocument(release, open, state), null, 2)}\n`);
};
