import type { APIRoute } from 'astro';
import { DEFAULT_STATE } from '../../../../pipeline/charts/chart-state.ts';
import { oembedDocument } from '../../charts/oembed-document.ts';
import { openChart } from '../../charts/open-chart.ts';
import { openRelease } from '../../layout/release.ts';

export const GET: APIRoute = ({ params }) => {
  const release = openRelease();
  const document = oembedDocument(release, openChart(release, params.id!), DEFAULT_STATE);
  return new Response(`${JSON.stringify(document, null, 2)}\n`);
};
