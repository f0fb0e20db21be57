import type { APIRoute } from 'astro';
import { openRelease } from '../../../layout/release.ts';
import { recordEntries } from '../../../reference/search/search-entries.ts';

export const GET: APIRoute = ({ params }) =>
  new Response(`${JSON.stringify(recordEntries(openRelease(), params.year!))}\n`);
