import type { APIRoute } from 'astro';
import { oembedDocument } from '../../charts/oembed-document.ts';
import { askedState, openChart } from '../../charts/open-chart.ts';
import { openRelease } from '../../layout/release.ts';

export const GET: APIRoute = ({ params, url }) => {
  const release = openRelease();
  const chart = openChart(release, params.id!);
  const { state, fault } = askedState(chart, url.search);
  if (fault !== null) return new Response(`${fault}.\n`, { status: 400 });
  return new Response(`${JSON.stringify(oembedDocument(release, chart, state), null, 2)}\n`);
};
