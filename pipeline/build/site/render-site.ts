import type { Documents } from '../../artifacts/documents.ts';
import type { RecentCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import type { Facts } from '../../release/format/manifest.ts';
import type { Staging } from '../../release/staging/staging.ts';
import { makePdf, type PdfJob, type PdfOptions } from '../pdf/pdfs.ts';
import { makeSite } from './make-site.ts';
import type { Given } from './open-program.ts';
import { paperHtml } from './paper-html.ts';

export interface SiteOptions extends PdfOptions {
  baseUrl: string;
  /** Where the source code is, if the operator has stated it. */
  sourceCode?: string | null;
}

interface RenderOptions extends SiteOptions {
  /** See `programKey`; null without pages. */
  program: string | null;
  documents: Pick<Documents, 'organisation' | 'paperTexts'>;
  /** The newest checkpoints of the ledger, newest first. */
  checkpoints: readonly RecentCheckpoint[];
  /** The PDFs of the release, which are printed from its pages. */
  pdfs: readonly PdfJob[];
  /** What the page of the snapshot list shows; null without snapshots. */
  snapshots: Given | null;
}

/**
 * Makes the site from the staged data files and prints the PDFs from its pages. The pages learn in advance which PDFs there will be. Gives
 * the page of the snapshot list, which is no part of the release; null for none.
 */
export async function renderSite(
  staging: Staging,
  facts: Facts,
  { program, checkpoints, pdfs, snapshots, ...options }: RenderOptions,
): Promise<string | null> {
  const { baseUrl, sourceCode, documents, log } = options;
  const { organisation } = documents;
  await staging.writeDraft(facts);
  let list: string | null = null;
  if (program) {
    log('building the site');
    const printed = pdfs.map(({ path }) => path);
    const papers = await paperHtml(documents.paperTexts);
    const facts = {
      baseUrl,
      organisation,
      sourceCode: sourceCode ?? undefined,
      printed,
      checkpoints,
      papers,
    };
    const inputs = { scratch: staging.scratch, program, facts, snapshots };
    list = await makeSite(inputs, staging);
  }
  for (const pdf of pdfs) await makePdf(staging, pdf, { ...options, organisation });
  return list;
}
