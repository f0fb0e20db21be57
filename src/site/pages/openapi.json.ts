import { apiDocument } from '../components/api/api-document.ts';

/** The description of every path for programs. */
export function GET(): Response {
  return new Response(`${JSON.stringify(apiDocument(), null, 2)}\n`);
}
