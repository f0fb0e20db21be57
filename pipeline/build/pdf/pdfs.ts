import { join } from 'node:path';
import type { PrintedArtifact } from '../../artifacts/artifact.ts';
import type { Organisation } from '../../artifacts/documents/organisation.ts';
import { PRINTED, YEARLY } from '../../artifacts/table.ts';
import { yearOf, yearText } from '../../model/period.ts';
import type { Staging } from '../../release/staging/staging.ts';
import { dataFile } from '../data-file.ts';
import type { Folded } from '../fold-snapshots.ts';
import { yearsBetween } from '../fold-snapshots.ts';
import type { Printing } from '../plan.ts';

export interface PdfOptions {
  /** Null: nothing is printed. */
  printing: Printing | null;
  baseUrl: string;
  log: (line: string) => void;
}

/** A PDF of the release. */
export interface PdfJob {
  artifact: PrintedArtifact;
  path: string;
  page: string;
  /** ISO 8601. */
  asOf: string;
  /** Whether its year is closed. */
  immutable: boolean;
  /** Whether it is linked from the previous release. */
  carried: boolean;
}

/** The PDFs of the release. A closed year's is printed once and linked afterwards; the current year's is printed when its page has changed. */
export async function pdfJobs(
  staging: Staging,
  folded: Pick<Folded, 'state'>,
  { printing }: Pick<PdfOptions, 'printing'>,
): Promise<PdfJob[]> {
  const planned: PdfJob[] = [];
  for (const pdf of PRINTED.flatMap((artifact) => pdfsOf(artifact, folded, staging))) {
    const printable = printing !== null && (printing.prints?.(pdf.path) ?? true);
    const carried = pdf.immutable && (await isCarried(staging, pdf.path, printable));
    if (carried || printable) planned.push({ ...pdf, carried });
  }
  return planned;
}

/** The closed years with a report. A year without events has none. */
function pdfsOf(
  artifact: PrintedArtifact,
  { state }: Pick<Folded, 'state'>,
  staging: Staging,
): Omit<PdfJob, 'carried'>[] {
  const reports = new Set(staging.paths());
  const hasReport = (year: number) => YEARLY.some(({ closedPath }) => reports.has(closedPath(year)));
  const years = yearsBetween(yearOf(state.since), state.year.year).filter(hasReport);
  const closed = years.map((year) => ({
    artifact,
    path: artifact.closedPath(year),
    page: artifact.closedPage(year),
    asOf: `${yearText(year)}-12-31T23:59:59Z`,
    immutable: true,
  }));
  const { path, page } = artifact;
  return [...closed, { artifact, path, page, asOf: state.asOf, immutable: false }];
}

/**
 * A rebuild prints a damaged PDF again, which repairs it if browser and page are the same. If the bytes differ, the run stops, because
 * the bytes that were published under this hash are lost.
 */
async function isCarried(staging: Staging, path: string, printable: boolean): Promise<boolean> {
  if (!staging.before(path)) return false;
  return !printable || (await staging.canCarry(path));
}

/** Does nothing if the site has no such page, as for a year without events. Prints only a page that has changed. */
export async function makePdf(
  staging: Staging,
  { artifact, path, page, asOf, immutable, carried }: PdfJob,
  { printing, baseUrl, organisation, log }: PdfOptions & { organisation: Organisation },
): Promise<void> {
  if (carried) return staging.carry(path);
  const html = staging.files().find((file) => file.path === `${page.slice(1)}index.html`);
  if (!printing || !html) return;
  // Styles and fonts have names that change with them, pictures are part of the page, and the page says as of when it is. The browser's version
  // does not count: another one would print the same with other bytes, and what has not changed should not be fetched again.
  if (!immutable && staging.isSame([html.path]) && (await staging.takeOver(path))) return;
  log(`printing ${path}`);
  const content = await printing.page({
    root: join(staging.dir, 'public'),
    baseUrl,
    page,
    path,
    asOf,
    author: organisation.name,
  });
  await staging.write({ ...dataFile(artifact, content), path, immutable });
}
