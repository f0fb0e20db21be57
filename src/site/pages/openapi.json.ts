import { openApiDocument } from '../../api/openapi/open-api-document.ts';
import { openRelease } from '../layout/release.ts';
import { apiFacts } from '../reference/api/api-facts.ts';

/** The OpenAPI description of every path. */
export function GET(): Response {
  return new Response(`${JSON.stringify(openApiDocument(apiFacts(openRelease())), null, 2)}\n`);
}
