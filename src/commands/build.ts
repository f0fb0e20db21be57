import { build as buildRelease } from '../../pipeline/build/build.ts';
import { findChromium } from '../../pipeline/build/pdf/chromium.ts';
import { type Print, printPdf } from '../../pipeline/build/pdf/print-pdf.ts';
import { type PrintCharts, printCharts } from '../../pipeline/charts/files/print-charts.ts';
import { programPath } from '../../pipeline/config/config.ts';
import { formatDuration } from '../../pipeline/words/duration.ts';
import { recordRun } from '../scheduler/record-run.ts';
import { defineCommand } from './command.ts';
import { openSource, SOURCE_SETTINGS } from './ledger-source.ts';
import { SOFTWARE } from './software.ts';

/** Settings that the site and its PDFs are made by. */
const SITE_SETTINGS = ['baseUrl', 'contact', 'withoutPdf', 'withoutSite', 'chromium'] as const;
const PUBLISHER_SETTINGS = ['publisherKey', 'publisherName', 'snapshotDays'] as const;

export const build = defineCommand({
  summary: 'Publishes what is new in the ledger as a release: one run, verified before anything is shown.',
  settings: [
    'ledger',
    ...SOURCE_SETTINGS,
    'out',
    'documents',
    'companions',
    ...SITE_SETTINGS,
    ...PUBLISHER_SETTINGS,
    'rebuild',
    'givesUpSnapshots',
    'importFull',
  ],
  async run(config, context) {
    const { out, documents, companions, baseUrl, contact, rebuild, wait } = config;
    const { now, progress, print } = context;
    const started = now();
    const report = await recordRun({ out, software: SOFTWARE, now }, async () => {
      const source = await openSource(config.ledger, config, context);
      return buildRelease({
        ...source,
        out,
        documents,
        companions,
        baseUrl,
        contact,
        rebuild,
        software: SOFTWARE,
        publisher: { kind: 'signs', keyFile: config.publisherKey, name: config.publisherName, now },
        snapshots: { days: config.snapshotDays, givesUp: config.givesUpSnapshots },
        site: !config.withoutSite,
        ...(config.withoutSite || config.withoutPdf ? { print: null } : printers(config.chromium)),
        waitMs: wait * 1000,
        log: (line) => progress.stage(line),
      });
    });
    progress.end();
    const { manifest, outcome, snapshots, events, findings } = report;
    const read = `${snapshots} new snapshots, ${events} new events, ${findings.length} findings`;
    print(
      `${outcome} ${manifest.release}: ${manifest.files.length} files; ${read}; ${formatDuration(now() - started)}`,
    );
    return 0;
  },
});

/** Looked for before the work begins: a run that could not print in the end should not have begun. */
function printers(configured: string | null): { print: Print; printCharts: PrintCharts } {
  const chromium = findChromium({ configured, path: programPath() });
  return {
    print: (job) => printPdf({ ...job, chromium }),
    printCharts: (charts, { profile }) => printCharts(charts, { chromium, profile }),
  };
}
