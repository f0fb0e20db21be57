import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIContext } from 'astro';
import { organisationIn, type SiteLocals } from '../../../pipeline/build/site/open-program.ts';
import { useRelease } from './release.ts';

/**
 * Whoever asks for a page says of which release it is to be, and is told whether it was made, or why it failed: Astro's own answer to an
 * error says neither.
 */
export async function onRequest(
  { locals, url }: APIContext,
  next: () => Promise<Response>,
): Promise<Response> {
  // A browser that asks `npm run dev` says nothing.
  if (import.meta.env.DEV) Object.assign(locals, { site: await newestSite(url.origin) });
  const { site } = locals as unknown as SiteLocals;
  try {
    useRelease(site.dir, site.facts);
    const response = await next();
    // The whole page or none: one that fails half-way must not be published.
    const body = await response.arrayBuffer();
    site.isMade = true;
    const { status, headers } = response;
    return new Response(body, { status, headers });
  } catch (error) {
    if (import.meta.env.DEV) throw error;
    site.error = error;
    return new Response(null, { status: 500 });
  }
}

async function newestSite(baseUrl: string): Promise<SiteLocals['site']> {
  const dir = await realpath(join(process.env.CATHEDRAL_OUT!, 'current'));
  return { dir, facts: { baseUrl, organisation: await organisationIn(dir) } };
}
