import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { rasterise } from '../../charts/files/rasterise.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import { listTree } from '../../release/disk/list-tree.ts';
import type { Blob, Facts, NewFile } from '../../release/format/manifest.ts';
import { readSite, siteFile } from '../../release/staging/site-tree.ts';
import type { Staging } from '../../release/staging/staging.ts';
import type { Folded } from '../fold-snapshots.ts';
import { makePdf, type PdfOptions, pdfJobs } from '../pdf/pdfs.ts';
import { compileSite } from './compile-site.ts';
import {
  type RenderedPage,
  SERVER_FACTS,
  SERVER_FOLDER,
  type ServerFacts,
  type SiteFacts,
} from './open-program.ts';
import { PAGES_UNDER_WAY, PageThreads } from './page-threads.ts';
import { type SearchFolder, writeSearchIndex } from './search-index.ts';
import type { SearchedPage } from './search-years.ts';

export interface SiteOptions extends PdfOptions {
  baseUrl: string;
  /** E-mail address for readers. */
  contact: string;
  /** Folder of the written documents. */
  documents: string;
}

/**
 * Makes the site from the staged data files and prints the PDFs from its pages. The pages learn in advance which PDFs there will be.
 */
export async function renderSite(
  staging: Staging,
  facts: Facts,
  folded: Folded,
  options: SiteOptions & { author: string },
): Promise<void> {
  const { pages, baseUrl, contact, author, documents, log } = options;
  await staging.writeDraft(facts);
  const pdfs = await pdfJobs(staging, folded, options);
  if (pages) {
    log('building the site');
    const printed = pdfs.map(({ path }) => path);
    const release = { dir: staging.dir, public: join(staging.dir, 'public') };
    const write = (file: NewFile, key?: string) => staging.write(file, key);
    const keep = async (file: string, bytes: Uint8Array) => {
      const blob = await staging.folder.write(file, bytes);
      staging.keep(file, blob);
      return blob;
    };
    const cache = join(staging.scratch, 'cache');
    await makeSite(
      { cache, documents, facts: { baseUrl, contact, author, printed }, asOf: facts.timestamp },
      {
        ...release,
        write,
        keep,
        files: () => staging.files(),
        keysBefore: () => staging.keysBefore(),
        reuseMade: (path, key) => staging.reuseMade(path, key),
        keptBefore: (path) => staging.keptBefore(path),
      },
    );
  }
  for (const pdf of pdfs) await makePdf(staging, pdf, options);
}

export interface SiteInputs {
  /** Folder for the compiler, empty or missing at first. */
  cache: string;
  /** Folder of the written documents. */
  documents: string;
  facts: SiteFacts;
  /** Time of the release. */
  asOf: string;
}

/** The folder of a release into which a site is made. */
export interface SiteFolder extends SearchFolder {
  /** It has the draft `manifest.json` and the data files that the pages are made from. */
  dir: string;
  /** The public files so far. */
  files(): readonly SearchedPage[];
  /** Writes a file without an address, below `dir`. */
  keep(file: string, bytes: Uint8Array): Promise<Blob>;
}

/** Compiles the site and renders all of its pages. Deterministic. */
export async function makeSite({ cache, documents, facts, asOf }: SiteInputs, to: SiteFolder): Promise<void> {
  const { client, server } = await compileSite(cache, documents);
  await readSite(client, (file) => to.write(file));
  const files = await keepProgram(server, to);
  const { baseUrl, contact, author } = facts;
  const serverFacts = { base_url: baseUrl, contact, author } satisfies z.input<typeof ServerFacts>;
  await to.keep(SERVER_FACTS, Buffer.from(`${JSON.stringify(serverFacts)}\n`));
  await using threads = new PageThreads({ dir: to.dir, files, facts });
  const paths = await threads.paths();
  await inParallel(paths, PAGES_UNDER_WAY, async (path) => {
    const page = await threads.render(path);
    assertFound(page, path);
    await to.write(siteFile(fileOf(path), await contentOf(page, path)));
  });
  const pages = new Set(paths.map(fileOf));
  await writeSearchIndex(
    to.files().filter(({ path }) => pages.has(path)),
    asOf,
    to,
  );
}

/** Adds the program to the release, outside its public files. Throws publish_failed. */
async function keepProgram(server: string, { keep }: SiteFolder) {
  const { files } = await asDiskErrors(server, () => listTree(server));
  const kept: { file: string; sha256: string }[] = [];
  for (const path of files.sort()) {
    const file = `${SERVER_FOLDER}/${path}`;
    const bytes = await asDiskErrors(path, () => readFile(join(server, path)));
    kept.push({ file, sha256: (await keep(file, bytes)).sha256 });
  }
  return kept;
}

/** The page for addresses that the site does not have. */
const NOT_FOUND = '/404/';

/** The program answers an address that it does not know with that page, which must not be published in its place. */
function assertFound({ status }: RenderedPage, path: string): void {
  const expected = path === NOT_FOUND ? 404 : 200;
  if (status === expected) return;
  const about = { place: path, expected: `a page with status ${expected}`, found: String(status) };
  throw new CathedralError('site_failed', about);
}

/** `/economy/` → `economy/index.html`; the page for unknown addresses has a name that web servers know. */
function fileOf(path: string): string {
  if (path === NOT_FOUND) return '404.html';
  return path.slice(1).replace(/(^|\/)$/, '$1index.html');
}

/** A page draws a picture as SVG. The library that turns it into pixels works off the event loop of this thread. */
async function contentOf({ type, body }: RenderedPage, path: string): Promise<Uint8Array> {
  const isDrawing = type === 'image/svg+xml' && path.endsWith('.png');
  return isDrawing ? rasterise(Buffer.from(body).toString()) : body;
}
