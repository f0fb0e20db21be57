import type { APIRoute } from 'astro';
import { oembedDocument } from '../../charts/oembed-document.ts';
import { askedView } from '../../charts/open-chart.ts';

export const GET: APIRoute = (context) => {
  const { chart, state, fault } = askedView(context, 'embed');
  if (fault !== null) return new Response(`${fault}.\n`, { status: 400 });
  return new Response(`${JSON.stringify(oembedDocument(chart, state), null, 2)}\n`);
};
