import { apiDocument } from '../components/api/api-document.ts';

/** The OpenAPI description of every path. */
export function GET(): Response {
  return new Response(`${JSON.stringify(apiDocument(), null, 2)}\n`);
}
