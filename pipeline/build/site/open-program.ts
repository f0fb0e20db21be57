import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { CathedralError } from '../../errors.ts';

/** Folder, below a release's, of the compiled site. It has no URL. */
export const SERVER_FOLDER = 'server';
export const SERVER_ENTRY = `${SERVER_FOLDER}/entry.mjs`;

export const SERVER_FACTS = `${SERVER_FOLDER}/site.json`;

/** What pages on demand show as well. */
export const ServerFacts = z.strictObject({
  base_url: z.string(),
  contact: z.string(),
  /** Absent in releases of earlier versions. */
  author: z.string().optional(),
});

/** What pages show besides the release itself. */
export interface SiteFacts {
  /** Without a trailing slash. */
  baseUrl: string;
  /** E-mail address that readers write to. */
  contact: string;
  /** The publishing organisation. Absent: pages read it from the release’s citations. */
  author?: string | undefined;
  /** Paths of the PDFs that are printed from the pages afterwards. */
  printed?: readonly string[] | undefined;
}

/** The compiled site with the release that its pages show. */
export interface OpenedSite {
  /** Addresses of all pages that do not depend on a query: `/economy/`, `/openapi.json`. */
  paths(): string[];
  /** Renders an address, with its query if it has one. Rejects with whatever the page throws. */
  render(url: string): Promise<Response>;
}

/** What the compiled site exports; src/site/program.ts is its source. `dir`: the folder of a release or of one that is being staged. */
export type OpenSite = (dir: string, facts: SiteFacts) => OpenedSite;

/** All files of the program, as the manifest lists them. */
export type ProgramFiles = readonly { file: string; sha256: string }[];

/**
 * Loads the compiled site from a release's folder. A program cannot be unloaded, so each thread opens one release only. Throws
 * release_invalid, and loads nothing, if a byte of the program differs from its hash.
 */
export async function openProgram(dir: string, files: ProgramFiles, facts: SiteFacts): Promise<OpenedSite> {
  for (const { file, sha256 } of files) {
    const found = hash('sha256', await readFile(join(dir, file)));
    if (found !== sha256)
      throw new CathedralError('release_invalid', { place: file, expected: `sha256 ${sha256}`, found });
  }
  const { openSite } = (await import(pathToFileURL(join(dir, SERVER_ENTRY)).href)) as { openSite: OpenSite };
  return openSite(dir, facts);
}

/** A rendered page. */
export interface RenderedPage {
  status: number;
  /** Media type without parameters. */
  type: string;
  body: Uint8Array;
}

export async function renderPage(site: OpenedSite, url: string): Promise<RenderedPage> {
  const response = await site.render(url);
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  return { status: response.status, type, body: new Uint8Array(await response.arrayBuffer()) };
}
