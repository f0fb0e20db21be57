import type { APIRoute } from 'astro';
import { openRelease } from '../../../layout/release.ts';
import { searchIndex } from '../../../reference/search/search-entries.ts';

export const GET: APIRoute = () => new Response(`${JSON.stringify(searchIndex(openRelease()))}\n`);
