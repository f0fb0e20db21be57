import type { Documents } from '../../artifacts/documents.ts';
import type { RecentCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import type { Facts } from '../../release/format/manifest.ts';
import type { Staging } from '../../release/staging/staging.ts';
import type { PdfOptions } from '../pdf/pdfs.ts';
import { makeSite } from './make-site.ts';
import type { Given } from './open-program.ts';
import { paperHtml } from './paper-html.ts';

export interface SiteOptions extends PdfOptions {
  baseUrl: string;
  /** Where the source code is, if the operator has stated it. */
  sourceCode?: string | null;
}

interface RenderOptions extends Omit<SiteOptions, 'printing'> {
  /** See `programKey`; null without pages. */
  program: string | null;
  documents: Pick<Documents, 'organisation' | 'paperTexts'>;
  /** The newest checkpoints of the ledger, newest first. */
  checkpoints: readonly RecentCheckpoint[];
  /** Paths of the PDFs that are printed afterwards. */
  printed: readonly string[];
  /** What the page of the snapshot list shows; null without snapshots. */
  snapshots: Given | null;
}

/**
 * Makes the site from the staged data files. The pages learn in advance which PDFs there will be. Gives the page of the snapshot list, which
 * is no part of the release; null for none.
 */
export async function renderSite(
  staging: Staging,
  facts: Facts,
  { program, checkpoints, printed, snapshots, baseUrl, sourceCode, documents, log }: RenderOptions,
): Promise<string | null> {
  const { organisation, paperTexts } = documents;
  await staging.writeDraft(facts);
  if (!program) return null;
  log('building the site');
  const papers = await paperHtml(paperTexts);
  const shown = {
    baseUrl,
    organisation,
    sourceCode: sourceCode ?? undefined,
    printed,
    checkpoints,
    papers,
  };
  return await makeSite({ scratch: staging.scratch, program, facts: shown, snapshots }, staging);
}
