import { showDirectionsInHtml } from '../../../pipeline/artifacts/format/show-directions.ts';

/**
 * Texts of the ledger stand in all pages, amid the words of the page. This is the one place that every page passes: the
 * site's build, and the server for pages that depend on a query.
 */
export async function onRequest(_: unknown, next: () => Promise<Response>): Promise<Response> {
  const response = await next();
  if (!response.headers.get('content-type')?.startsWith('text/html')) return response;
  const { status, headers } = response;
  return new Response(showDirectionsInHtml(await response.text()), { status, headers });
}
