import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ORGANISATION_FILE, Organisation } from '../../artifacts/documents/organisation.ts';
import { parseJsonFile } from '../../artifacts/format/json.ts';
import { CathedralError } from '../../errors.ts';
import type { RecentCheckpoint } from '../../ledger/recent-checkpoints.ts';
import type { Published } from '../../release/format/release.ts';
import type { Snapshot, SnapshotIndex } from '../../release/format/snapshot-index.ts';

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
  /** Paths of the PDFs that are printed from the pages afterwards. */
  printed?: readonly string[] | undefined;
  /** The newest checkpoints of the ledger, newest first. Absent: no page shows them. */
  checkpoints?: readonly RecentCheckpoint[] | undefined;
}

/**
 * What pages read of a release, by name. A page that is rendered from the same program and the same values of these names has the same
 * bytes.
 *
 * - `file economy/supply`: the entry of the draft manifest, and so the content; empty without such a file
 * - `has government/transparency.pdf`: whether the finished release will have the file
 * - `paths government/transparency-`: the paths that begin so
 * - `files`: all entries
 * - `fact timestamp`: a fact of the release, or a setting
 */
export type ReadName = string;

/** The addresses of one kind of page. */
export interface PageList {
  paths: readonly string[];
  /** For an archive: which of them may differ from those of the earlier release. Null for other kinds. */
  touched: readonly string[] | null;
  /** What the addresses follow from. */
  reads: readonly ReadName[];
}

/** What a page below `/snapshots/` shows: it stands beside the releases, and is rendered when they are complete. */
export type Given = { snapshot: Snapshot } | { index: SnapshotIndex; days: number };

/** The compiled site with the release that its pages show. It makes one thing at a time. */
export interface OpenedSite {
  /** Of pages that do not depend on a query, by the place of their file: `/charts/[id]`, `/licence`. */
  kinds(): readonly string[];
  /** `since`: the time of an earlier release of the same program; null without one. */
  list(kind: string, since: string | null): PageList;
  /** Renders an address, with its query if it has one. Rejects with whatever the page throws. */
  render(url: string, given?: Given): Promise<{ response: Response; reads: readonly ReadName[] }>;
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

/** A rendered page. */
export interface RenderedPage {
  status: number;
  /** Media type without parameters. */
  type: string;
  body: Uint8Array;
  /** What it follows from. */
  reads: readonly ReadName[];
}

export async function renderPage(site: OpenedSite, url: string, given?: Given): Promise<RenderedPage> {
  const { response, reads } = await site.render(url, given);
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  return { status: response.status, type, body: new Uint8Array(await response.arrayBuffer()), reads };
}
