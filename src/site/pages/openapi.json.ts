import { openRelease } from '../layout/release.ts';
import { apiDocument } from '../reference/api/api-document.ts';

/** The OpenAPI description of every path. */
export function GET(): Response {
  return new Response(`${JSON.stringify(apiDocument(openRelease()), null, 2)}\n`);
}
