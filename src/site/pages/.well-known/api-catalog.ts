import { formatApiCatalog } from '../../../api/well-known.ts';
import { openRelease } from '../../layout/release.ts';

export function GET(): Response {
  const { baseUrl, organisation } = openRelease();
  return new Response(formatApiCatalog(baseUrl, organisation.licence.url));
}
