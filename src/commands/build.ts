import { type BuildReport, build as buildRelease } from '../../pipeline/build/build.ts';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';
import { printPdf } from '../../pipeline/build/pdf/print-pdf.ts';
import { type Contents, DATA_ONLY } from '../../pipeline/build/plan.ts';
import { publishInParts, type RunProgress } from '../../pipeline/build/publish-parts.ts';
import { printCharts } from '../../pipeline/charts/files/print-charts.ts';
import { PrintingBrowser } from '../../pipeline/charts/files/printing-browser.ts';
import { programPath } from '../../pipeline/config/config.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { SOURCE_SETTINGS } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { readWitnesses } from '../../pipeline/release/log/cosign-log.ts';
import { openLedger } from '../../pipeline/sources/open-ledger.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { recordRun } from '../scheduler/record-run.ts';
import { type Context, defineCommand, formatJson, importFull, json, SWITCH } from './command.ts';
import { cosignPublished } from './cosigning.ts';
import { ownDocuments } from './organisation.ts';
import { assertShared, type OwnTurn, TURN_SETTINGS, takeTurn } from './turn.ts';

/** The settings of a build, which `start` passes on to the builds that it starts. */
export const BUILD_SETTINGS = [
  'ledger',
  ...SOURCE_SETTINGS,
  'ledgerSigningKey',
  'out',
  'documents',
  'allowPlaceholders',
  'companions',
  'baseUrl',
  'sourceCode',
  'withoutSite',
  'withoutPdf',
  'chromium',
  'publisherKey',
  'snapshotDays',
  'witnesses',
  'purgeUrl',
  'purgeHeader',
  'purgeBody',
  ...TURN_SETTINGS,
] as const;

export const build = defineCommand({
  summary: 'Runs once: verifies what is new in the ledger and publishes it as a release.',
  details:
    'Runs are idempotent: if nothing is new, nothing is written. Readers see the previous release until the new one is complete. `start` does this every six hours and also serves.',
  examples: [
    'cathedral build --ledger /srv/ledger --out /srv/cathedral --base-url https://data.example.org',
    'cathedral build --rebuild',
    'cathedral build --without-site --json',
  ],
  settings: BUILD_SETTINGS,
  flags: {
    rebuild: {
      flag: 'rebuild',
      description:
        'Starts from genesis and reuses nothing from the current release. It repairs a damaged release, and goes back to an earlier version.',
      ...SWITCH,
    },
    givesUpSnapshots: {
      flag: 'gives-up-snapshots',
      description:
        'Publishes although snapshots that were signed are missing and no copy is left. Their addresses are lost for good.',
      ...SWITCH,
    },
    movesHere: {
      flag: 'moves-here',
      description:
        'With CATHEDRAL_STORE and without CATHEDRAL_RELEASES: publishes from this folder although the database names one on another machine, which is gone.',
      ...SWITCH,
    },
    adoptsPointer: {
      flag: 'adopts-pointer',
      description:
        'With CATHEDRAL_RELEASES: continues from the release that the bucket names although the database is older, after a restore. Use it only if no newer back-up exists: the database has also lost keys, revocations and entries of the access log.',
      ...SWITCH,
    },
    begin: {
      flag: 'begin',
      description:
        'Does one step of a beginning, as `start` does to answer early in little memory: where there is no release yet, publishes the data files alone; where there are the data files alone, compiles the site. The next run without it makes the rest.',
      ...SWITCH,
    },
    importFull,
    json,
  },
  check: assertShared,
  async run(config, context) {
    const { out } = config;
    const { now, progress, print } = context;
    const started = now();
    const witnesses = config.witnesses === null ? null : await readWitnesses(config.witnesses);
    const report = await recordRun({ out, software: software(), now }, (runs) =>
      takeTurn(config, context, (turn) => publish(config, context, turn, runs)),
    );
    progress.end();
    const { manifest, outcome, snapshots, events, findings, migrated, lacks = [], failure } = report;
    const ms = now() - started;
    if (config.json) {
      const { release, timestamp, ledger, files } = manifest;
      const read = { new_snapshots: snapshots, new_events: events, findings };
      const about = { outcome, release, as_of: timestamp, ledger, files: files.length, lacks };
      print(formatJson({ ...about, ...read, migrated, duration_ms: ms }));
    } else {
      const read = `${snapshots} new snapshots, ${events} new events, ${findings.length} findings`;
      print(`${outcome} ${manifest.release}: ${manifest.files.length} files; ${read}; ${formatDuration(ms)}`);
      if (migrated !== null) print(`rebuilt from genesis: ${migrated}`);
    }
    // A service that started this run asks them itself, between its runs.
    if (witnesses && !process.channel) await cosignPublished(witnesses, config, context);
    if (failure) progress.note(`The release has no ${lacks.join(', ')}; the data files are published.`);
    if (failure) throw failure;
    return 0;
  },
});

type BuildConfig = Pick<Config, (typeof BUILD_SETTINGS)[number]> &
  Record<'rebuild' | 'givesUpSnapshots' | 'begin' | 'importFull', boolean>;

async function publish(
  config: BuildConfig,
  context: Context,
  turn: OwnTurn | null,
  runs: RunProgress,
): Promise<BuildReport> {
  const { out, companions, baseUrl, sourceCode, publisherKey: keyFile } = config;
  const { progress } = context;
  const now = turn?.now ?? context.now;
  const printing = browserOf(config);
  await using _ = printing instanceof PrintingBrowser ? printing : null;
  const { findings, ...source } = await openLedger(config.ledger, config, { ...context, now });
  const documents = await ownDocuments(config, source);
  const log = (line: string) => {
    // Whoever has lost the lease cannot publish any more; here it finds out before it has made everything.
    turn?.signal.throwIfAborted();
    progress.stage(line);
  };
  const report = await publishInParts(contentsOf(config, printing), {
    out,
    publish: (contents, lasts) =>
      buildRelease({
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
          publisher: lasts ? { kind: 'signs', keyFile, now, ...(turn && { records: turn.records }) } : null,
          snapshots: lasts ? { days: config.snapshotDays, givesUp: config.givesUpSnapshots } : null,
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
  return { ...report, findings: [...report.findings, ...findings] };
}

/** The browser that prints; the error that says why none can be started; or null for a run without PDFs. */
function browserOf({
  withoutSite,
  withoutPdf,
  chromium: configured,
}: BuildConfig): PrintingBrowser | CathedralError | null {
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
  if (!printing) return { formats: true, charts: { print: null }, pages: { print: null } };
  const browser = () => {
    if (printing instanceof CathedralError) throw printing;
    return printing;
  };
  return {
    formats: true,
    charts: { print: async (charts) => printCharts(browser(), charts) },
    pages: { print: async (job) => printPdf(browser(), job) },
  };
}
