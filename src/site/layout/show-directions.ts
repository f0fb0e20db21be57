import { showDirectionsInHtml } from '../../../pipeline/artifacts/format/show-directions.ts';

/**
 * Every page can contain texts from the ledger. All pages pass through this middleware, in the static build and on demand.
 */
export async function onRequest(_: unknown, next: () => Promise<Response>): Promise<Response> {
  const response = await next();
  if (!response.headers.get('content-type')?.startsWith('text/html')) return response;
  const { status, headers } = response;
  return new Response(showDirectionsInHtml(await response.text()), { status, headers });
}
