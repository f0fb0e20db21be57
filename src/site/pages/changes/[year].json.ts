import type { APIRoute } from 'astro';
import { yearOfDays } from '../../components/changes/year-file.ts';
import { openRelease } from '../../components/release.ts';

/** What compares any two days of a year. It is data for a script, so it has no spaces. */
export const GET: APIRoute = ({ params }) =>
  new Response(`${JSON.stringify(yearOfDays(openRelease(), params.year!))}\n`);
