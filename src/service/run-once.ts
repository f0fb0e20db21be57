import { type BuildReport, build } from '../../pipeline/build/build.ts';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';
import { printPdf } from '../../pipeline/build/pdf/print-pdf.ts';
import { type Contents, DATA_ONLY } from '../../pipeline/build/plan.ts';
import { publishInParts, type RunProgress } from '../../pipeline/build/publish-parts.ts';
import { printCharts } from '../../pipeline/charts/files/print-charts.ts';
import { PrintingBrowser } from '../../pipeline/charts/files/printing-browser.ts';
import { programPath } from '../../pipeline/config/config.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import { databaseOf, storeFiles } from '../../pipeline/config/store-place.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { readVerifierKeys } from '../../pipeline/ledger/reading/ledger-verifiers.ts';
import { openLedger, type Running } from '../../pipeline/sources/open-ledger.ts';
import { recordRun } from '../scheduler/record-run.ts';
import { ownDocuments } from './organisation.ts';
import { assertPublishesOutside } from './outside-ledger.ts';
import type { RUN_SETTINGS } from './run-settings.ts';
import { type OwnTurn, takeTurn } from './turn.ts';

/** What `cathedral build` takes; docs/cli.md describes each. */
export type RunConfig = Pick<Config, (typeof RUN_SETTINGS)[number]> &
  Record<'rebuild' | 'givesUpSnapshots' | 'begin' | 'importFull' | 'movesHere' | 'adoptsPointer', boolean>;

/**
 * One run: verifies what is new in the ledger and publishes it, when it is this machine's turn. Throws what `takeTurn`, `openLedger` and
 * `build` throw; then the run is on record as failed.
 */
export async function runOnce(config: RunConfig, running: Running): Promise<BuildReport> {
  assertPublishesOutside(config);
  const record = { out: config.out, software: software(), now: running.now };
  return recordRun(record, (runs) =>
    takeTurn(config, running, (turn) => publish(config, running, turn, runs)),
  );
}

async function publish(
  config: RunConfig,
  { progress, ...running }: Running,
  turn: OwnTurn | null,
  runs: RunProgress,
): Promise<BuildReport> {
  const { out, companions, baseUrl, sourceCode, publisherKey: keyFile } = config;
  const now = turn?.now ?? running.now;
  const printing = browserOf(config);
  await using _ = printing instanceof PrintingBrowser ? printing : null;
  const { findings, ...source } = await openLedger(config.ledger, config, { progress, now });
  const documents = await ownDocuments(config, source);
  const accessLogKeys = await keysOfAccessLog(config);
  const log = (line: string) => {
    // Whoever has lost the lease cannot publish any more; here it finds out before it has made everything.
    turn?.signal.throwIfAborted();
    progress.stage(line);
  };
  const report = await publishInParts(contentsOf(config, printing), {
    out,
    publish: (contents, lasts) =>
      build({
        ...source,
        out,
        documents,
        companions,
        baseUrl,
        sourceCode,
        software: software(),
        plan: {
          purpose: 'publish',
          from: config.rebuild ? 'genesis' : 'current',
          contents,
          publisher: {
            kind: 'signs',
            keyFile,
            accessLogKeys,
            now,
            givesUp: config.givesUpSnapshots,
            lasts,
            ...(turn && { records: turn.records }),
          },
          snapshots: lasts ? { days: config.snapshotDays } : null,
          share: turn?.share ?? null,
        },
        waitMs: config.wait * 1000,
        log,
      }),
    cannotPrint: printing instanceof CathedralError ? printing : null,
    isShared: Boolean(turn?.share),
    begins: config.begin,
    runs,
    log,
  });
  return {
    ...report,
    findings: [...report.findings, ...findings],
    findingCount: report.findingCount + findings.length,
  };
}

/** With which a server on this machine signs heads of its access log; where machines share a database, publishers do that. */
async function keysOfAccessLog({ store }: Pick<Config, 'store'>): Promise<string[]> {
  return databaseOf(store) === null ? readVerifierKeys(storeFiles(store).headVerifiers) : [];
}

/** The browser that prints; the error that says why none can be started; or null for a run without PDFs. */
function browserOf({
  withoutSite,
  withoutPdf,
  chromium: configured,
}: RunConfig): PrintingBrowser | CathedralError | null {
  if (withoutSite || withoutPdf) return null;
  try {
    return new PrintingBrowser(findChromium({ configured, path: programPath() }));
  } catch (error) {
    if (error instanceof CathedralError && error.code === 'browser_missing') return error;
    throw error;
  }
}

function contentsOf(
  { withoutSite }: Pick<Config, 'withoutSite'>,
  printing: PrintingBrowser | CathedralError | null,
): Contents {
  if (withoutSite) return DATA_ONLY;
  if (!printing) return { upTo: 'pages', printing: null };
  const browser = () => {
    if (printing instanceof CathedralError) throw printing;
    return printing;
  };
  return {
    upTo: 'pages',
    printing: {
      charts: async (charts) => printCharts(browser(), charts),
      page: async (job) => printPdf(browser(), job),
    },
  };
}
