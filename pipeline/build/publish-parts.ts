import { PRINTED } from '../artifacts/table.ts';
import { hasChartPdfs, hasCharts } from '../charts/files/render-charts.ts';
import { CathedralError } from '../errors.ts';
import type { Manifest } from '../release/format/manifest.ts';
import { currentId, readCurrent } from '../release/format/release.ts';
import { PARTS, type Part } from '../release/format/status.ts';
import type { BuildReport } from './build.ts';
import { type Contents, DATA_ONLY } from './plan.ts';
import { hasExtras } from './render-extras.ts';
import { keepCompiledSite } from './site/compiled-site.ts';
import { programKey } from './site/make-program.ts';
import { publishedIds } from './snapshots/read-published.ts';

/** The parts that a release has. */
function partsOf(manifest: Manifest): Part[] {
  const { files } = manifest;
  const has: Record<Part, boolean> = {
    data: true,
    formats: hasExtras(manifest),
    charts: hasCharts(manifest),
    pages: files.some(({ kind }) => kind === 'page'),
    pdfs:
      hasChartPdfs(manifest) || PRINTED.every((artifact) => files.some(({ path }) => path === artifact.path)),
  };
  return PARTS.filter((part) => has[part]);
}

/** The parts that a run is asked for. */
function partsAsked({ formats, charts, pages }: Contents): Part[] {
  const asks: Record<Part, boolean> = {
    data: true,
    formats,
    charts: charts !== null,
    pages: pages !== null,
    pdfs: Boolean(charts?.print || pages?.print),
  };
  return PARTS.filter((part) => asks[part]);
}

/** Those of the parts that a run was asked for which a release does not have. */
export function partsLacking(manifest: Manifest, asked: readonly Part[]): Part[] {
  const there = new Set(partsOf(manifest));
  return asked.filter((part) => !there.has(part));
}

/** The same without what a browser prints; closed years keep their PDFs. */
function withoutPrinting({ charts, pages, ...contents }: Contents): Contents {
  return { ...contents, charts: charts && { print: null }, pages: pages && { print: null } };
}

/** The same without the site; the tables in other formats, the catalogues and the charts do not need it. */
function withoutPages(contents: Contents): Contents {
  return { ...withoutPrinting(contents), pages: null };
}

/** What a run tells before it has ended. */
export interface RunProgress {
  /** It makes these parts now. */
  begins(parts: readonly Part[]): Promise<void>;
  /** It has published the report's release, and goes on. */
  hasPublished(report: BuildReport): Promise<void>;
}

interface Means {
  out: string;
  /**
   * Makes and publishes a release with these contents. `lasts`: it is signed, and a snapshot of it stays, which each signed release has;
   * otherwise it is only for the time until the next one.
   */
  publish: (contents: Contents, lasts: boolean) => Promise<BuildReport>;
  /** Why nothing can be printed, known beforehand; null if a browser is there. */
  cannotPrint: CathedralError | null;
  /** Whether other machines get the releases, each with its snapshot. */
  isShared: boolean;
  /**
   * Does one step of a beginning, because the compiler needs the memory for itself: publishes a first release of the data files, or, where
   * there is one, compiles the site for it. Later runs make the rest.
   */
  begins: boolean;
  runs: RunProgress;
  /** Compiles the site, unless it is there. */
  keepSite?: () => Promise<void>;
  log: (line: string) => void;
}

/**
 * Publishes what is wanted, so that the data do not wait for the rest. Where there is no release yet, readers get the data files first, and
 * the compiled site next, from which a server renders pages on request. Throws what `publish` throws where not even the data can be
 * published.
 */
export async function publishInParts(wanted: Contents, means: Means): Promise<BuildReport> {
  const { out, publish, isShared, begins, runs, log } = means;
  const { keepSite = () => keepCompiledSite(programKey()) } = means;
  const prepare = async () => {
    if (!wanted.pages) return;
    log('preparing the pages');
    // A failure is that of whoever needs them.
    await keepSite().catch(() => {});
  };
  await runs.begins(partsAsked(wanted));
  const isNew = await isFirst(out);
  const isBeginning = isNew ? begins || wanted.pages !== null : begins && (await hasBegun(out));
  if (isShared || !isBeginning) return publishWhatCanBe(wanted, means);
  if (!isNew) await prepare();
  const data = await publish(DATA_ONLY, false);
  const lacks = partsLacking(data.manifest, partsAsked(wanted));
  await runs.hasPublished({ ...data, lacks });
  if (begins) return { ...data, lacks };
  await runs.begins(lacks);
  await prepare();
  const report = await publishWhatCanBe(wanted, means);
  return {
    ...report,
    outcome: 'published',
    snapshots: data.snapshots + report.snapshots,
    events: data.events + report.events,
    findings: [...data.findings, ...report.findings],
  };
}

/** Whether the current release is one that a beginning published: the data files alone, not signed. */
async function hasBegun(out: string): Promise<boolean> {
  const current = await readCurrent(out);
  return current !== null && !current.manifest.signed && partsOf(current.manifest).length === 1;
}

/** Whether OUT has neither a release, not even a damaged one, nor a snapshot to resume from. */
async function isFirst(out: string): Promise<boolean> {
  return (await currentId(out).catch(() => '')) === null && (await publishedIds(out)).length === 0;
}

/**
 * Publishes the data whatever becomes of the rest: where a PDF cannot be printed, a release without PDFs, and where the site cannot be made,
 * one without pages and PDFs. Pages of the previous release would show other numbers than the files beside them, so they are not kept. The
 * report has the first thing that failed, and what is missing for it.
 */
async function publishWhatCanBe(
  wanted: Contents,
  { publish, cannotPrint, log }: Means,
): Promise<BuildReport> {
  let printFault: unknown = null;
  const noted = <T>(printing: Promise<T>): Promise<T> =>
    printing.catch((error: unknown) => {
      printFault = error;
      throw error;
    });
  const [charts, pages] = [wanted.charts?.print, wanted.pages?.print];
  let contents: Contents = {
    ...wanted,
    charts: wanted.charts && { print: charts ? (jobs) => noted(charts(jobs)) : null },
    pages: wanted.pages && { ...wanted.pages, print: pages ? (job) => noted(pages(job)) : null },
  };
  let failure = cannotPrint;
  if (failure) contents = withoutPrinting(contents);
  for (;;) {
    try {
      const report = await publish(contents, true);
      return { ...report, failure, lacks: partsLacking(report.manifest, partsAsked(wanted)) };
    } catch (error) {
      const isOfSite = error instanceof CathedralError && error.code === 'site_failed';
      if (!isOfSite || !contents.pages) throw error;
      const isPrinting = error === printFault;
      log(`${error.message}: publishing without ${isPrinting ? 'PDFs' : 'pages and PDFs'}`);
      failure ??= error;
      contents = isPrinting ? withoutPrinting(contents) : withoutPages(contents);
    }
  }
}
