import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { siteFiles } from '../../../pipeline/bucket/site-files.ts';
import { build } from '../../../pipeline/build/build.ts';
import { LEDGER_START, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { formatVerifierKey, parseVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { formatNoteKeys } from '../../../pipeline/ledger/notes/note-keys.ts';
import { signerFromSeed } from '../../../pipeline/ledger/notes/signer-from-seed.ts';
import { demoSigner } from '../../../pipeline/ledger/writing/demo-key.ts';
import { SnapshotWriter } from '../../../pipeline/ledger/writing/head-and-snapshot-files.ts';
import { readCurrent } from '../../../pipeline/release/format/release.ts';
import { writeSample } from '../../../pipeline/sample/write-sample.ts';

const NASTY = signerFromSeed('ledger.example/nasty', new Uint8Array(32).fill(7));

/** The demo of these days. Returns the key that verifies it. */
export async function writeDemo(ledger: string, from: string, to: string): Promise<string> {
  await writeSample({ out: ledger, from, to, seed: 1 });
  return formatVerifierKey(demoSigner().verifier);
}

export interface WrittenEvent {
  timestamp: string;
  cycle: string;
  type: string;
  agent: string;
  data: Record<string, unknown>;
  /** Default: the same for all. */
  salt?: string;
}

/** A ledger with a snapshot of these events in each of these slots. Returns the key that verifies it. */
export async function writeEvents(
  ledger: string,
  slots: readonly (readonly [id: string, events: readonly WrittenEvent[]])[],
): Promise<string> {
  await mkdir(ledger, { recursive: true });
  let position: LedgerPosition = LEDGER_START;
  for (const [id, events] of slots) {
    const writer = new SnapshotWriter(ledger, position, [NASTY], { durable: false });
    for (const event of events) await writer.append({ salt: 'A'.repeat(22), ...event, seq: writer.end.size });
    position = await writer.seal(id);
  }
  return formatVerifierKey(NASTY.verifier);
}

export interface PublishOptions {
  ledger: string;
  /** Verifier key of the ledger. */
  key: string;
  /** Folder of the publisher's documents. */
  documents: string;
  out: string;
  /** The time of the publisher's clock. */
  now: string;
  /** Last ledger snapshot to publish; default: the newest. */
  until?: string | undefined;
  /** Only the data files, also the other formats and the catalogues, also the charts, also the pages, or also the PDFs. */
  contents: 'data' | 'formats' | 'charts' | 'pages' | 'pdfs';
  /** Starts from genesis and reuses nothing. */
  isRebuild?: boolean;
  /** How long each snapshot is kept. */
  days?: number;
}

/** A run, signed by a publisher whose key is the same everywhere. Returns the release's id. */
export async function publish({
  ledger,
  key,
  documents,
  out,
  now,
  until,
  contents,
  isRebuild,
  days = 366,
}: PublishOptions): Promise<string> {
  const keyFile = `${out}.publisher-key`;
  if (!existsSync(keyFile)) {
    await mkdir(dirname(keyFile), { recursive: true });
    const secret = {
      name: 'data.example.org',
      seed: new Uint8Array(32).fill(3),
      made: '2025-01-01T00:00:00Z',
    };
    await writeFile(keyFile, formatNoteKeys([secret]), { mode: 0o600 });
  }
  await using printers = contents === 'pdfs' ? await openPrinters() : null;
  const { manifest } = await build({
    ledger,
    out,
    verifiers: [parseVerifierKey(key)],
    documents,
    companions: null,
    baseUrl: 'https://data.example.org',
    software: 'cathedral-data-service 1.0.0+contract',
    plan: {
      purpose: 'publish',
      from: isRebuild ? 'genesis' : 'current',
      contents: { upTo: contents === 'pdfs' ? 'pages' : contents, printing: printers },
      publisher: { kind: 'signs', keyFile, now: () => Date.parse(now) },
      snapshots: { days },
      ...(until && { until }),
    },
    waitMs: 0,
    log: () => {},
  });
  return manifest.release;
}

/** What prints is loaded only where something is printed. */
async function openPrinters() {
  const [{ findChromium }, { PrintingBrowser }, { printCharts }, { printPdf }] = await Promise.all([
    import('../../../pipeline/build/pdf/chromium.ts'),
    import('../../../pipeline/charts/files/printing-browser.ts'),
    import('../../../pipeline/charts/files/print-charts.ts'),
    import('../../../pipeline/build/pdf/print-pdf.ts'),
  ]);
  const { CHROMIUM_PATH = null, PATH = '' } = process.env;
  const browser = new PrintingBrowser(findChromium({ configured: CHROMIUM_PATH, path: PATH }));
  return {
    charts: (charts: Parameters<typeof printCharts>[1]) => printCharts(browser, charts),
    page: (job: Parameters<typeof printPdf>[1]) => printPdf(browser, job),
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
}

/** The paths of what `cathedral publish` uploads from a published folder. */
export async function bucketFiles(out: string): Promise<string[]> {
  return (await siteFiles(out, (await readCurrent(out))!)).map(({ path }) => path);
}

/** What a reader's program finds in a PDF, as text. */
export async function textOfPdf(pdf: Uint8Array): Promise<string> {
  const { readPdf } = await import('../../build/pdf/read-pdf.ts');
  const text = JSON.stringify(await readPdf(pdf));
  // Where a line ends, a word may be in two pieces.
  return text + text.replaceAll(/\s/g, '');
}

/** A command in this process, by any clock. */
export { runHere } from '../commands/seam.ts';
