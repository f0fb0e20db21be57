import { join } from 'node:path';
import type { PrintedArtifact } from '../artifacts/artifact.ts';
import { PRINTED } from '../artifacts/table.ts';
import { yearOf } from '../model/period.ts';
import type { Facts } from '../publish/manifest.ts';
import type { Print } from '../publish/print-pdf.ts';
import { buildSite } from '../publish/site.ts';
import type { Staging } from '../publish/staging.ts';
import { dataFile } from './data-file.ts';
import { yearsBetween } from './earlier-files.ts';
import type { Folded } from './fold-snapshots.ts';

export interface SiteOptions {
  baseUrl: string;
  /** Folder of the documents that people write. */
  documents: string;
  /** False: data files only, no pages and no PDF. */
  site: boolean;
  /** Null: no PDF; closed years' PDFs of earlier runs stay. */
  print: Print | null;
  log: (line: string) => void;
}

/** The site, built over the data files that are staged, and the PDFs, printed from its pages. */
export async function renderSite(
  staging: Staging,
  facts: Facts,
  folded: Folded,
  options: SiteOptions,
): Promise<void> {
  const { site, baseUrl, documents, log } = options;
  await staging.writeDraft(facts);
  if (site) {
    log('building the site');
    const out = join(staging.scratch, 'site');
    await buildSite({ release: staging.dir, out, cache: join(staging.scratch, 'cache'), baseUrl, documents });
    await staging.addTree(out);
  }
  for (const artifact of PRINTED) await printYears(artifact, staging, folded, options);
}

/** The year so far is printed anew; a closed year is printed once and carried over from then on. */
async function printYears(
  artifact: PrintedArtifact,
  staging: Staging,
  { state }: Folded,
  options: SiteOptions,
): Promise<void> {
  const carried = new Set(staging.previous?.manifest.files.map(({ path }) => path));
  for (const year of yearsBetween(yearOf(state.since), state.year.year)) {
    const [path, page] = [artifact.closedPath(year), artifact.closedPage(year)];
    if (carried.has(path)) await staging.carry(path);
    else
      await printPage(
        { artifact, staging, path, page, asOf: `${year}-12-31T23:59:59Z`, immutable: true },
        options,
      );
  }
  const { path, page } = artifact;
  await printPage({ artifact, staging, path, page, asOf: state.asOf, immutable: false }, options);
}

interface Printing {
  artifact: PrintedArtifact;
  staging: Staging;
  path: string;
  page: string;
  asOf: string;
  immutable: boolean;
}

/** Of no effect where the site has no such page: without a site, or for a year without an event. */
async function printPage({ artifact, staging, path, page, asOf, immutable }: Printing, options: SiteOptions) {
  const { print, log } = options;
  if (!print || !staging.paths().includes(`${page.slice(1)}index.html`)) return;
  log(`printing ${path}`);
  const content = await print({ root: join(staging.dir, 'public'), page, path, asOf });
  if (content) await staging.write({ ...dataFile(artifact, content), path, immutable });
}
