import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import inject from 'light-my-request';
import { z } from 'zod';
import { ORGANISATION_FILE, Organisation } from '../../artifacts/documents/organisation.ts';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { CathedralError } from '../../errors.ts';
import type { RecentCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import type { Published } from '../../release/format/release.ts';
import type { ListedSnapshot } from '../../release/format/snapshot-index.ts';

/** Folder, below a release's, of the compiled site. It has no URL. */
export const SERVER_FOLDER = 'server';
export const SERVER_ENTRY = `${SERVER_FOLDER}/entry.mjs`;

export const SERVER_FACTS = `${SERVER_FOLDER}/site.json`;

/** What pages on demand show as well. */
export const ServerFacts = z.strictObject({
  base_url: z.string(),
  /** Absent where the operator has stated none. */
  source_code: z.string().optional(),
});

/** What pages show besides the release itself. */
export interface SiteFacts {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Who publishes. */
  organisation: Organisation;
  /** Where the source code of the software is. Absent: the operator has not stated it. */
  sourceCode?: string | undefined;
  /** Paths of the PDFs that are printed after the pages, reports from them and charts from their drawings. */
  printed?: readonly string[] | undefined;
  /** The newest checkpoints of the ledger, newest first. Absent: no page shows them. */
  checkpoints?: readonly RecentCheckpoint[] | undefined;
  /** Texts of papers that are published here, as HTML, by the paper's id. */
  papers?: ReadonlyMap<string, string> | undefined;
}

/** The addresses of one kind of page. */
export interface PageList {
  /** The place of their file: `/charts/[id]`, `/licence`. */
  kind: string;
  paths: readonly string[];
  /** Which of them may differ from those of the earlier release although their sources are the same. Null: all. */
  touched: readonly string[] | null;
  /** The files of the release that a page follows from, by its address; without an entry, none. */
  sources: Readonly<Record<string, readonly string[]>>;
}

/** What the page of the snapshot list shows, which stands beside the releases: newest first, and for how many days each is kept. */
export interface Given {
  index: readonly ListedSnapshot[];
  days: number;
}

/** What the compiled site exports: @astrojs/node's handler. */
export type SiteHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
  locals: object,
) => Promise<void>;

/** What a request tells the site, and what src/site/layout/release-of-request.ts adds when it is answered. */
export interface SiteLocals {
  site: {
    /** The folder of a release, or of one that is being staged. */
    dir: string;
    facts: SiteFacts;
    /** Whether a page has answered, with whatever status. */
    isMade?: boolean;
    /** Whatever the page has thrown. */
    error?: unknown;
  };
}

/** The compiled site with the release that its pages show. It makes one thing at a time. */
export class OpenedSite {
  readonly #handler: SiteHandler;
  readonly #dir: string;
  readonly #facts: SiteFacts;

  constructor(handler: SiteHandler, dir: string, facts: SiteFacts) {
    this.#handler = handler;
    this.#dir = dir;
    this.#facts = facts;
  }

  /** The page of an address, which may have a query. Throws what the page throws, and site_failed where there is no such page. */
  async render(url: string, given?: Given): Promise<RenderedPage> {
    const site: SiteLocals['site'] = { dir: this.#dir, facts: this.#facts };
    const ask: Parameters<typeof inject>[0] = (request, response) => {
      const unknown = () => void response.writeHead(404).end();
      void this.#handler(request as IncomingMessage, response as ServerResponse, unknown, { ...given, site });
    };
    const answer = await inject(ask, { url });
    if (site.error !== undefined) throw site.error;
    if (!site.isMade) {
      const found = `status ${answer.statusCode}`;
      throw new CathedralError('site_failed', { place: url, expected: 'a page', found });
    }
    const [type = ''] = String(answer.headers['content-type'] ?? '').split(';');
    return { status: answer.statusCode, type, body: answer.rawPayload };
  }
}

/**
 * Address of src/site/page-lists.ts, which no server answers; its text is a PageList for each kind of page that does not depend on a query.
 * `since`: the time of an earlier release of the same program; null without one.
 */
export function pageListsUrl(since: string | null): string {
  return `/-/pages.json${since === null ? '' : `?${new URLSearchParams({ since })}`}`;
}

/** A rendered page. */
export interface RenderedPage {
  status: number;
  /** Media type without parameters. */
  type: string;
  body: Buffer;
}

/** All files of the program, as the manifest lists them, below the folder that has it. */
export type ProgramFiles = readonly { file: string; sha256: string }[];

/**
 * Loads the compiled site from `place`, by default the release's own folder. A program cannot be unloaded, so each thread opens one release
 * only. Throws release_invalid, and loads nothing, if a byte of the program differs from its hash.
 */
export async function openProgram(
  dir: string,
  files: ProgramFiles,
  facts: SiteFacts,
  place = dir,
): Promise<OpenedSite> {
  for (const { file, sha256 } of files) {
    const found = hash('sha256', await readFile(join(place, file)));
    if (found !== sha256)
      throw new CathedralError('release_invalid', { place: file, expected: `sha256 ${sha256}`, found });
  }
  // @astrojs/node listens for rejections that nobody handles, which would keep a thread alive that has failed.
  const before = process.listeners('unhandledRejection');
  const { handler } = (await import(/* @vite-ignore */ pathToFileURL(join(place, SERVER_ENTRY)).href)) as {
    handler: SiteHandler;
  };
  for (const listener of process.listeners('unhandledRejection'))
    if (!before.includes(listener)) process.off('unhandledRejection', listener);
  return new OpenedSite(handler, dir, facts);
}

/** Who published the release in `dir`. Throws release_invalid. */
export async function organisationIn(dir: string): Promise<Organisation> {
  const place = join(dir, ORGANISATION_FILE);
  return parseJsonFile(await readFile(place, 'utf8'), Organisation, place, 'release_invalid');
}

/** The program of a finished release, and what its pages on demand show. Throws release_invalid. */
export async function programIn({ dir, manifest }: Pick<Published, 'dir' | 'manifest'>): Promise<{
  files: ProgramFiles;
  facts: SiteFacts;
}> {
  const files = manifest.unlisted.filter(({ file }) => file.startsWith(`${SERVER_FOLDER}/`));
  const place = join(dir, SERVER_FACTS);
  const text = await readFile(place, 'utf8');
  const about = parseJsonFile(text, ServerFacts, place, 'release_invalid');
  const organisation = await organisationIn(dir);
  return { files, facts: { baseUrl: about.base_url, sourceCode: about.source_code, organisation } };
}
