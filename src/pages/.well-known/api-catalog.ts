import { openRelease } from '../../components/release.ts';
import { formatApiCatalog } from '../../sidecar/openapi/api-catalog.ts';

export function GET(): Response {
  return new Response(formatApiCatalog(openRelease().baseUrl));
}
