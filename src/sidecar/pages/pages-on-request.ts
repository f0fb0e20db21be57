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
import { mediaTypeOf } from '../../../pipeline/release/format/media-types.ts';
import { headersFor } from '../../../pipeline/release/format/response-headers.ts';
import type { Status } from '../../../pipeline/release/format/status.ts';
import type { Renderer } from '../charts/renderer.ts';
import { RecentlyMade } from '../files/recently-made.ts';
import type { ServedRelease } from '../files/releases.ts';
import { answerWith, type Resource, resourceInMemory } from '../files/representation.ts';
import { type Answer, movedAnswer, notFoundPage } from '../request/answer.ts';
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
  const answerFrom = async (site: KeptSite, context: RequestContext, release: ServedRelease) => {
    const { request } = context;
    const address = `/${context.path}`;
    const kept = async (address: string, make: () => Promise<Made>) =>
      (await cache.get(`${release.id} ${address}`, make)).resource;
    const page = (address: string) =>
      kept(address, () => renderPage(address, means, { site, release, client: clientOf(context) }));
    if (site.digests.has(`client${address}`))
      return answerWith(request, await kept(address, () => readAsset(address, site, release)));
    // Any other address could make a page fail, which is only for those of its list.
    const lists: PageList[] = JSON.parse(String(await (await page(pageListsUrl(null))).read()));
    // That page is for what is not found, and nothing that can be asked for.
    const has = (one: string) => one !== NOT_FOUND && lists.some(({ paths }) => paths.includes(one));
    if (has(address)) return answerWith(request, await page(address));
    if (has(`${address}/`)) return movedAnswer(`${address}/`, context.query);
    if (!wantsPage(request)) return null;
    return notFoundPage(
      context.path!,
      await answerWith({ method: 'GET', headers: {} }, await page(NOT_FOUND)),
    );
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
      const path = context.path!;
      if (!wantsPage(context.request) || !(path === '' || isToHavePages)) return null;
      const organisation = await organisationIn(release.dir).catch(() => null);
      return plainPage({ release, organisation, status: isCurrent ? status : null, path });
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

async function readAsset(
  address: string,
  { client, digests }: KeptSite,
  release: ServedRelease,
): Promise<Made> {
  const place = join(client, address);
  const bytes = await readFile(place);
  const [expected, found] = [digests.get(`client${address}`), hash('sha256', bytes)];
  if (found !== expected) throw new Error(`${place}: expected sha256 ${expected}, found ${found}`);
  return made(bytes, { path: address.slice(1), kind: 'asset' }, release);
}

async function renderPage(
  url: string,
  { renderer, baseUrl, sourceCode }: Means,
  { site, release, client }: { site: KeptSite; release: ServedRelease; client: string },
): Promise<Made> {
  const { dir } = release;
  const program = [...site.digests].flatMap(([file, sha256]) =>
    file.startsWith(`${SERVER_FOLDER}/`) ? [{ file, sha256 }] : [],
  );
  const facts = { baseUrl, sourceCode: sourceCode ?? undefined, organisation: await organisationIn(dir) };
  const job = { kind: 'page', dir, url, program, place: dirname(site.server), facts } as const;
  const { type, body } = await renderer.run(client, dir, (render) => render(job));
  const path = type === 'text/html' ? `${url.replace(/\/$/, '')}/index.html` : url;
  return made(body, { path: path.slice(1), kind: 'page' }, release);
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
