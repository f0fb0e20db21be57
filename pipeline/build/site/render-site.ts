import { join } from 'node:path';
import type { Facts } from '../../release/format/manifest.ts';
import type { Staging } from '../../release/staging/staging.ts';
import type { Folded } from '../fold-snapshots.ts';
import { makePdf, type PdfOptions, pdfJobs } from '../pdf/pdfs.ts';
import { buildSite } from './site.ts';
import { addServerProgram } from './site-server.ts';

export interface SiteOptions extends PdfOptions {
  baseUrl: string;
  /** E-mail address for readers. */
  contact: string;
  /** Folder of the written documents. */
  documents: string;
}

/**
 * Builds the site from the staged data files and prints the PDFs from its pages. The pages learn in advance which PDFs there will be.
 */
export async function renderSite(
  staging: Staging,
  facts: Facts,
  folded: Folded,
  options: SiteOptions,
): Promise<void> {
  const { pages, baseUrl, contact, documents, log } = options;
  await staging.writeDraft(facts);
  const pdfs = await pdfJobs(staging, folded, options);
  if (pages) {
    log('building the site');
    const out = join(staging.scratch, 'site');
    const printed = pdfs.map(({ path }) => path);
    const cache = join(staging.scratch, 'cache');
    await buildSite({ release: staging.dir, out, cache, baseUrl, contact, printed, documents });
    await staging.addTree(out);
    await addServerProgram(staging, cache);
  }
  for (const pdf of pdfs) await makePdf(staging, pdf, options);
}
