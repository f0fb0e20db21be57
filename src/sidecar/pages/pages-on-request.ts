import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findCompiledSite, type KeptSite } from '../../../pipeline/build/site/compiled-site.ts';
import { programKey } from '../../../pipeline/build/site/make-program.ts';
import {
  organisationIn,
  type PageList,
  pageListsUrl,
  SERVER_FOLDER,
} from '../../../pipeline/build/site/open-program.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import type { Status } from '../../../pipeline/release/format/status.ts';
import type { Renderer } from '../charts/renderer.ts';
import { RecentlyMade } from '../files/recently-made.ts';
import type { ServedRelease } from '../files/releases.ts';
import { answerWith, type Resource, resourceInMemory } from '../files/representation.ts';
import type { Answer } from '../request/answer.ts';
import { clientOf, type RequestContext } from '../request/request-context.ts';
import { plainPage, wantsPage } from './plain-page.ts';

/** What is at an address where the release has no file. */
export interface PagesOnRequest {
  /** Null: nothing. */
  answer(context: RequestContext, release: ServedRelease): Promise<Answer | null>;
}

interface Means {
  renderer: Pick<Renderer, 'run'>;
  readStatus: () => Promise<Status | null>;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Where the source code of this software is; null: not stated. */
  sourceCode: string | null;
  /** A page could not be rendered. */
  report: (error: unknown) => void;
  /** The compiled site; null if it is not compiled yet. */
  findSite?: () => Promise<KeptSite | null>;
}

/** A page, or a file that pages load. */
interface Made {
  size: number;
  resource: Resource;
}

/**
 * Until a release is complete, its pages are rendered from its data files when somebody asks for them, as soon as the site is compiled.
 * Before, and for a release that is to have no pages, there is a plain page that lists the files.
 */
export function createPagesOnRequest(means: Means): PagesOnRequest {
  const { readStatus, report, findSite = siteOfThisProgram() } = means;
  const compiled = keepFound(findSite);
  const cache = new RecentlyMade<Made>();
  const addresses = new RecentlyMade<Addresses>();
  const answerFrom = async (site: KeptSite, context: RequestContext, release: ServedRelease) => {
    const path = context.path!;
    const rendering = { ...means, site, release, client: clientOf(context) };
    const kept = async (path: string, make: () => Promise<Made>) =>
      (await cache.get(`${release.id} ${path}`, make)).resource;
    if (site.digests.has(`client/${path}`))
      return answerWith(context.request, await kept(path, () => readAsset(path, site, release)));
    // Any other address could make a page fail, which is only for those of its list.
    const { paths } = await addresses.get(release.id, () => listAddresses(rendering));
    const page = (path: string) => kept(path, () => renderPage(path, rendering));
    if (paths.has(`/${path}`)) return answerWith(context.request, await page(path));
    if (paths.has(`/${path}/`)) return movedTo(`/${path}/`);
    return wantsPage(context.request) ? notFound(await page(NOT_FOUND.slice(1))) : null;
  };
  return {
    async answer(context, release) {
      if (release.files.has('index.html')) return null;
      const status = await readStatus().catch(() => null);
      const isCurrent = status?.release?.id === release.id;
      const isToHavePages = isCurrent && status.release!.lacks.includes('pages');
      const site = isToHavePages ? await compiled() : null;
      if (site) {
        try {
          return await answerFrom(site, context, release);
        } catch (error) {
          report(error);
        }
      }
      const isStart = context.path === '';
      if (!wantsPage(context.request) || !(isStart || isToHavePages)) return null;
      const organisation = await organisationIn(release.dir).catch(() => null);
      return plainPage({ release, organisation, status: isCurrent ? status : null, isStart });
    },
  };
}

/** Reads the sources of the site once. */
function siteOfThisProgram(): () => Promise<KeptSite | null> {
  let key: string | null = null;
  return () => {
    key ??= programKey();
    return findCompiledSite(key);
  };
}

/** Address of the page for addresses without a page. */
const NOT_FOUND = '/404/';

/** How often something that is not there yet is looked for, ms. */
const LOOK_MS = 1000;

function keepFound<T>(find: () => Promise<T | null>): () => Promise<T | null> {
  let found: Promise<T | null> = Promise.resolve(null);
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const kept = await found;
    if (kept !== null || performance.now() - lookedAt < LOOK_MS) return kept;
    lookedAt = performance.now();
    // It may throw at once, too.
    found = (async () => find())().catch(() => null);
    return found;
  };
}

async function readAsset(path: string, { client, digests }: KeptSite, release: ServedRelease): Promise<Made> {
  const place = join(client, path);
  const bytes = await readFile(place);
  const [expected, found] = [digests.get(`client/${path}`), hash('sha256', bytes)];
  if (found !== expected) throw new Error(`${place}: expected sha256 ${expected}, found ${found}`);
  return made(bytes, { path, kind: 'asset' }, release);
}

interface Rendering extends Pick<Means, 'renderer' | 'baseUrl' | 'sourceCode'> {
  site: KeptSite;
  release: ServedRelease;
  /** Who waits for its turn. */
  client: string;
}

interface Addresses {
  size: number;
  paths: ReadonlySet<string>;
}

async function listAddresses(rendering: Rendering): Promise<Addresses> {
  const { body } = await render(pageListsUrl(null), rendering);
  const paths = new Set((JSON.parse(String(body)) as PageList[]).flatMap((list) => list.paths));
  // That page is for what is not found, and nothing that can be asked for.
  paths.delete(NOT_FOUND);
  return { size: body.length, paths };
}

async function renderPage(path: string, rendering: Rendering): Promise<Made> {
  const { type, body } = await render(`/${path}`, rendering);
  const name = type === 'text/html' ? `${path.replace(/\/$/, '')}/index.html` : path;
  return made(body, { path: name, kind: 'page' }, rendering.release);
}

async function render(
  url: string,
  { renderer, baseUrl, sourceCode, site, release: { dir }, client }: Rendering,
) {
  const program = [...site.digests].flatMap(([file, sha256]) =>
    file.startsWith(`${SERVER_FOLDER}/`) ? [{ file, sha256 }] : [],
  );
  const facts = { baseUrl, sourceCode: sourceCode ?? undefined, organisation: await organisationIn(dir) };
  const place = dirname(site.server);
  return renderer.run(client, dir, (render) => render({ kind: 'page', dir, url, program, place, facts }));
}

/** With the headers that the release's own file would have. */
function made(
  bytes: Buffer,
  { path, kind }: { path: string; kind: 'page' | 'asset' },
  { manifest }: ServedRelease,
): Made {
  const media_type = mediaTypeOf(path);
  const headers = headersFor({ path, kind, restricted: false, immutable: false, media_type });
  return { size: bytes.length, resource: resourceInMemory({ headers, modified: manifest.timestamp }, bytes) };
}

function movedTo(place: string): Answer {
  return { status: 308, headers: { Location: place, 'Content-Length': '0' }, body: null };
}

async function notFound(page: Resource): Promise<Answer> {
  const body = await page.read();
  return {
    status: 404,
    headers: { 'Content-Type': page.in(null).headers['Content-Type']!, 'Cache-Control': 'no-store' },
    body,
  };
}
