import { formatApiCatalog } from '../../../api/well-known.ts';
import { openRelease } from '../../components/release.ts';

export function GET(): Response {
  return new Response(formatApiCatalog(openRelease().baseUrl));
}
