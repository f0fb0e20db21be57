import { build as buildRelease } from '../../pipeline/build/build.ts';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';
import { printPdf } from '../../pipeline/build/pdf/print-pdf.ts';
import { type Contents, DATA_ONLY } from '../../pipeline/build/plan.ts';
import { purgeCaches } from '../../pipeline/build/purge-caches.ts';
import { printCharts } from '../../pipeline/charts/files/print-charts.ts';
import { programPath } from '../../pipeline/config/config.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { fileRecords } from '../../pipeline/release/signing/file-records.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { recordRun } from '../scheduler/record-run.ts';
import { defineCommand, formatJson, json, SWITCH } from './command.ts';
import { importFull, openSource, SOURCE_SETTINGS } from './ledger-source.ts';
import { software } from './software.ts';

/** The settings of a build, which `start` passes on to the builds that it starts. */
export const BUILD_SETTINGS = [
  'ledger',
  ...SOURCE_SETTINGS,
  'ledgerSigningKey',
  'out',
  'documents',
  'companions',
  'baseUrl',
  'contact',
  'withoutSite',
  'withoutPdf',
  'chromium',
  'publisherKey',
  'publisherName',
  'snapshotDays',
  'purgeUrl',
  'purgeHeader',
  'purgeBody',
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
    importFull,
    json,
  },
  async run(config, context) {
    const { out, documents, companions, baseUrl, contact, publisherKey: keyFile } = config;
    const { now, progress, print } = context;
    const waitMs = config.wait * 1000;
    const records = fileRecords(keyFile, { waitMs });
    const started = now();
    const report = await recordRun({ out, software: software(), now }, async () => {
      const source = await openSource(config.ledger, config, context);
      return buildRelease({
        ...source,
        out,
        documents,
        companions,
        baseUrl,
        contact,
        software: software(),
        plan: {
          purpose: 'publish',
          from: config.rebuild ? 'genesis' : 'current',
          contents: contentsOf(config),
          publisher: { kind: 'signs', keyFile, records, name: config.publisherName, now },
          snapshots: { days: config.snapshotDays, givesUp: config.givesUpSnapshots },
        },
        waitMs,
        log: (line) => progress.stage(line),
      });
    });
    progress.end();
    const { purgeUrl: url, purgeHeader: header, purgeBody: body } = config;
    if (url !== null && report.outcome === 'published') {
      const fault = await purgeCaches({ url, header, body });
      if (fault !== null) progress.note(`${fault}; caches keep the previous release until it expires there.`);
    }
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
    return 0;
  },
});

function contentsOf({
  withoutSite,
  withoutPdf,
  chromium,
}: Pick<Config, 'withoutSite' | 'withoutPdf' | 'chromium'>): Contents {
  if (withoutSite) return DATA_ONLY;
  if (withoutPdf) return { formats: true, charts: { print: null }, pages: { print: null } };
  // Looks for the browser first: a run that cannot print must not start.
  const browser = findChromium({ configured: chromium, path: programPath() });
  return {
    formats: true,
    charts: { print: (charts, { profile }) => printCharts(charts, { chromium: browser, profile }) },
    pages: { print: (job) => printPdf({ ...job, chromium: browser }) },
  };
}
