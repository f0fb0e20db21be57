import { CathedralError } from '../errors.ts';
import type { Manifest } from '../release/format/manifest.ts';
import { currentId, readCurrent } from '../release/format/release.ts';
import type { Part } from '../release/format/status.ts';
import type { BuildReport } from './build.ts';
import { type Contents, DATA_ONLY, partsAsked, partsOf } from './plan.ts';
import { keepCompiledSite } from './site/compiled-site.ts';
import { programKey } from './site/make-program.ts';
import { publishedIds } from './snapshots/read-published.ts';

/** Those of the parts that a run was asked for which a release does not have. */
export function partsLacking(manifest: Manifest, asked: readonly Part[]): Part[] {
  const there = new Set(partsOf(manifest));
  return asked.filter((part) => !there.has(part));
}

/** Without what a browser prints. */
const WITHOUT_PRINTING: Contents = { upTo: 'pages', printing: null };
/** Without the site; the tables in other formats, the catalogues and the charts do not need it. */
const WITHOUT_PAGES: Contents = { upTo: 'charts', printing: null };

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
  const hasPages = wanted.upTo === 'pages';
  const prepare = async (): Promise<CathedralError | null> => {
    if (!hasPages) return null;
    log('preparing the pages');
    // Anything else that fails is that of whoever needs them.
    return keepSite().then(
      () => null,
      (error: unknown) => (error instanceof CathedralError && error.code === 'site_failed' ? error : null),
    );
  };
  await runs.begins(partsAsked(wanted));
  const isNew = await isFirst(out);
  const isBeginning = isNew ? begins || hasPages : begins && (await hasBegun(out));
  if (isShared || !isBeginning) return publishWhatCanBe(wanted, means);
  if (!isNew) await prepare();
  const data = await publish(DATA_ONLY, false);
  const lacks = partsLacking(data.manifest, partsAsked(wanted));
  await runs.hasPublished({ ...data, lacks });
  if (begins) return { ...data, lacks };
  await runs.begins(lacks);
  const report = await publishWhatCanBe(wanted, means, await prepare());
  return {
    ...report,
    outcome: 'published',
    snapshots: data.snapshots + report.snapshots,
    events: data.events + report.events,
    findings: [...data.findings, ...report.findings],
    findingCount: data.findingCount + report.findingCount,
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
 * report has the first thing that failed, and what is missing for it. `cannotMake`: why there will be no site, known beforehand; compiling it
 * takes a minute, and what ended it would do so again.
 */
async function publishWhatCanBe(
  wanted: Contents,
  { publish, cannotPrint, log }: Means,
  cannotMake: CathedralError | null = null,
): Promise<BuildReport> {
  let failure = cannotPrint;
  let contents: Contents = failure ? WITHOUT_PRINTING : wanted;
  const leaveOut = (error: CathedralError) => {
    const isPrinting = error.code === 'print_failed';
    log(`${error.message}: publishing without ${isPrinting ? 'PDFs' : 'pages and PDFs'}`);
    failure ??= error;
    contents = isPrinting ? WITHOUT_PRINTING : WITHOUT_PAGES;
  };
  if (cannotMake) leaveOut(cannotMake);
  for (;;) {
    try {
      const report = await publish(contents, true);
      return { ...report, failure, lacks: partsLacking(report.manifest, partsAsked(wanted)) };
    } catch (error) {
      if (!(error instanceof CathedralError) || contents.upTo !== 'pages') throw error;
      if (error.code !== 'print_failed' && error.code !== 'site_failed') throw error;
      leaveOut(error);
    }
  }
}
