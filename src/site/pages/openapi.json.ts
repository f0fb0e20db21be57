import { apiDocument } from '../components/api/api-document.ts';
import { openRelease } from '../components/release.ts';

/** The OpenAPI description of every path. */
export function GET(): Response {
  return new Response(`${JSON.stringify(apiDocument(openRelease()), null, 2)}\n`);
}
