import type { APIRoute } from 'astro';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import { oembedDocument } from '../../components/charts/oembed-document.ts';
import { openChart } from '../../components/charts/open-chart.ts';
import { openRelease } from '../../components/release.ts';

/** The oEmbed document of each chart; its page links to it. */
export function getStaticPaths() {
  return CHARTS.map(({ id }) => ({ params: { id } }));
}

export const GET: APIRoute = ({ params }) => {
  const release = openRelease();
  const document = oembedDocument(release, openChart(release, params.id!));
  return new Response(`${JSON.stringify(document, null, 2)}\n`);
};
