import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIContext } from 'astro';
import { type Given, organisationIn, type SiteLocals } from '../../../pipeline/build/site/open-program.ts';
import { LIST_PATH, parseSnapshotIndex } from '../../../pipeline/release/format/snapshot-index.ts';
import { openRelease, useRelease } from './release.ts';

/**
 * Whoever asks for a page says of which release it is to be, and is told whether it was made, or why it failed: Astro's own answer to an
 * error says neither.
 */
export async function onRequest(
  { locals, url, routePattern }: APIContext,
  next: (rewrite?: string) => Promise<Response>,
): Promise<Response> {
  // A browser that asks `npm run dev` says nothing.
  if (import.meta.env.DEV) Object.assign(locals, await newestSite(url.origin));
  const { site } = locals as unknown as SiteLocals;
  try {
    useRelease(site.dir, site.facts);
    // A run and a server ask for existing pages; a browser asks `npm run dev` for any.
    const isKnown = !import.meta.env.DEV || (await hasPage(routePattern, url.pathname));
    const response = await (isKnown ? next() : next('/404'));
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

/** Whether the release has a page at this address, which the pattern of its kind fits. */
async function hasPage(kind: string, path: string): Promise<boolean> {
  if (!kind.includes('[')) return true;
  const { PAGES_TO_RENDER } = await import('../pages-to-render.ts');
  const pages = PAGES_TO_RENDER[kind]!;
  const paths = (typeof pages === 'function' ? pages : pages.paths!)(openRelease());
  return paths.includes(path) || paths.includes(`${path}/`);
}

/** What a run would say of the newest release, with the default of --snapshot-days. */
async function newestSite(baseUrl: string): Promise<SiteLocals & Given> {
  const out = process.env.CATHEDRAL_OUT!;
  const dir = await realpath(join(out, 'current'));
  const list = await readFile(join(out, LIST_PATH), 'utf8').catch(() => '[]');
  const site = { dir, facts: { baseUrl, organisation: await organisationIn(dir) } };
  return { site, index: parseSnapshotIndex(list), days: 366 };
}
