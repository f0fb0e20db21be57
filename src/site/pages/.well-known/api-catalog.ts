import { formatApiCatalog } from '../../../api/openapi/api-catalog.ts';
import { openRelease } from '../../components/release.ts';

export function GET(): Response {
  return new Response(formatApiCatalog(openRelease().baseUrl));
}
