import { join } from 'node:path';
import type { PrintedArtifact } from '../artifacts/artifact.ts';
import { PRINTED } from '../artifacts/table.ts';
import { yearOf } from '../model/period.ts';
import { type ChromiumSearch, findChromium } from '../publish/chromium.ts';
import type { Facts } from '../publish/manifest.ts';
import { printPdf } from '../publish/print-pdf.ts';
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
  /** False: no PDF; closed years' PDFs of earlier runs stay. */
  pdf: boolean;
  /** Where to look for the Chromium that prints. */
  chromium: ChromiumSearch;
  log: (line: string) => void;
}

/** The site, built over the data files that are staged, and the PDFs, printed from its pages. */
export async function renderSite(
  staging: Staging,
  facts: Facts,
  folded: Folded,
  options: SiteOptions,
): Promise<void> {
  const { site, pdf, baseUrl, documents, log } = options;
  await staging.writeDraft(facts);
  if (site) {
    log('building the site');
    const out = join(staging.scratch, 'site');
    await buildSite({ release: staging.dir, out, cache: join(staging.scratch, 'cache'), baseUrl, documents });
    await staging.addTree(out);
  }
  for (const artifact of PRINTED) await print(artifact, staging, folded, { ...options, pdf: pdf && site });
}

/** The year so far is printed anew; a closed year is printed once and carried over from then on. */
async function print(
  artifact: PrintedArtifact,
  staging: Staging,
  { state }: Folded,
  { pdf, chromium, log }: SiteOptions,
): Promise<void> {
  const staged = new Set(staging.paths());
  const carried = new Set(staging.previous?.manifest.files.map(({ path }) => path));
  const printer = { root: join(staging.dir, 'public'), chromium: pdf ? findChromium(chromium) : '' };
  for (const year of yearsBetween(yearOf(state.since), state.year.year)) {
    const [path, page] = [artifact.closedPath(year), artifact.closedPage(year)];
    if (carried.has(path)) await staging.carry(path);
    else if (pdf && staged.has(`${page.slice(1)}index.html`)) {
      log(`printing ${path}`);
      const content = await printPdf({ ...printer, page, asOf: `${year}-12-31T23:59:59Z` });
      await staging.write({ ...dataFile(artifact, content), path, immutable: true });
    }
  }
  if (!pdf) return;
  log(`printing ${artifact.path}`);
  await staging.write(
    dataFile(artifact, await printPdf({ ...printer, page: artifact.page, asOf: state.asOf })),
  );
}
