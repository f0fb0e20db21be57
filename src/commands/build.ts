import { type BuildReport, build as buildRelease } from '../../pipeline/build/build.ts';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';
import { printPdf } from '../../pipeline/build/pdf/print-pdf.ts';
import { type Contents, DATA_ONLY } from '../../pipeline/build/plan.ts';
import { printCharts } from '../../pipeline/charts/files/print-charts.ts';
import { PrintingBrowser } from '../../pipeline/charts/files/printing-browser.ts';
import { programPath } from '../../pipeline/config/config.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { readWitnesses } from '../../pipeline/release/log/cosign-log.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { recordRun } from '../scheduler/record-run.ts';
import { type Context, defineCommand, formatJson, json, SWITCH } from './command.ts';
import { cosignPublished } from './cosigning.ts';
import { importFull, openSource } from './ledger-source.ts';
import { ownDocuments } from './organisation.ts';
import { software } from './software.ts';
import { SOURCE_SETTINGS } from './source-settings.ts';
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
    importFull,
    json,
  },
  check: assertShared,
  async run(config, context) {
    const { out } = config;
    const { now, progress, print } = context;
    const started = now();
    const witnesses = config.witnesses === null ? null : await readWitnesses(config.witnesses);
    const report = await recordRun({ out, software: software(), now }, () =>
      takeTurn(config, context, (turn) => publish(config, context, turn)),
    );
    progress.end();
    const { manifest, outcome, snapshots, events, findings, migrated } = report;
    const ms = now() - started;
    if (config.json) {
      const { release, timestamp, ledger, files } = manifest;
      const read = { new_snapshots: snapshots, new_events: events, findings };
      const about = { outcome, release, as_of: timestamp, ledger, files: files.length };
      print(formatJson({ ...about, ...read, migrated, duration_ms: ms }));
    } else {
      const read = `${snapshots} new snapshots, ${events} new events, ${findings.length} findings`;
      print(`${outcome} ${manifest.release}: ${manifest.files.length} files; ${read}; ${formatDuration(ms)}`);
      if (migrated !== null) print(`rebuilt from genesis: ${migrated}`);
    }
    // A service that started this run asks them itself, between its runs.
    if (witnesses && !process.channel) await cosignPublished(witnesses, config, context);
    return 0;
  },
});

type BuildConfig = Pick<Config, (typeof BUILD_SETTINGS)[number]> &
  Record<'rebuild' | 'givesUpSnapshots' | 'importFull', boolean>;

async function publish(config: BuildConfig, context: Context, turn: OwnTurn | null): Promise<BuildReport> {
  const { out, companions, baseUrl, sourceCode, publisherKey: keyFile } = config;
  const { progress } = context;
  const now = turn?.now ?? context.now;
  await using browser = browserOf(config);
  const { findings, ...source } = await openSource(config.ledger, config, { ...context, now });
  const report = await buildRelease({
    ...source,
    out,
    documents: await ownDocuments(config, source),
    companions,
    baseUrl,
    sourceCode,
    software: software(),
    plan: {
      purpose: 'publish',
      from: config.rebuild ? 'genesis' : 'current',
      contents: contentsOf(config, browser),
      publisher: {
        kind: 'signs',
        keyFile,
        now,
        ...(turn && { records: turn.records }),
      },
      snapshots: { days: config.snapshotDays, givesUp: config.givesUpSnapshots },
      share: turn?.share ?? null,
    },
    waitMs: config.wait * 1000,
    log(line) {
      // Whoever has lost the lease cannot publish any more; here it finds out before it has made everything.
      turn?.signal.throwIfAborted();
      progress.stage(line);
    },
  });
  return { ...report, findings: [...report.findings, ...findings] };
}

/** The browser that prints, which a run without PDFs does not need. Looks for it first: a run that cannot print must not start. */
function browserOf({ withoutSite, withoutPdf, chromium }: BuildConfig): PrintingBrowser | null {
  if (withoutSite || withoutPdf) return null;
  return new PrintingBrowser(findChromium({ configured: chromium, path: programPath() }));
}

function contentsOf({ withoutSite }: Pick<Config, 'withoutSite'>, browser: PrintingBrowser | null): Contents {
  if (withoutSite) return DATA_ONLY;
  if (!browser) return { formats: true, charts: { print: null }, pages: { print: null } };
  return {
    formats: true,
    charts: { print: (charts) => printCharts(browser, charts) },
    pages: { print: (job) => printPdf(browser, job) },
  };
}
