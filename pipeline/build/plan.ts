import { PRINTED } from '../artifacts/table.ts';
import type { PrintCharts } from '../charts/files/print-charts.ts';
import { hasChartPdfs, hasCharts } from '../charts/files/render-charts.ts';
import { DATABASE } from '../formats/catalogue/catalogue.ts';
import type { Manifest } from '../release/format/manifest.ts';
import type { Published } from '../release/format/release.ts';
import type { SnapshotIndex } from '../release/format/snapshot-index.ts';
import { PARTS, type Part } from '../release/format/status.ts';
import type { Print } from './pdf/print-pdf.ts';
import type { PublisherOptions } from './publisher.ts';
import type { SnapshotOptions } from './snapshots/publish-snapshots.ts';

/** What a run produces, and what for. */
export interface BuildPlan {
  /**
   * `publish`: for readers, so the log in OUT is verified and extended. `compare`: to compare with what was published, without a log.
   */
  purpose: 'publish' | 'compare';
  /** `current`: continues from the current release. `genesis`: rebuilds everything and reuses nothing. */
  from: 'current' | 'genesis';
  /** The last ledger snapshot to read; by default the newest. */
  until?: string;
  contents: Contents;
  /** For a comparison: immutable files that are not made again, and the folder that has them. */
  earlier?: Published | null;
  /** Who signs the release; null: nobody. */
  publisher: PublisherOptions | null;
  /** Null: publishes no snapshots. */
  snapshots: SnapshotOptions | null;
  /** Where several machines share releases. Null: they stay in OUT. */
  share?: Share | null;
}

/** Gives other machines what a run makes, before anything in OUT or in the record relies on their having it. */
export interface Share {
  /** Before these snapshots are recorded as listed. */
  snapshots(index: SnapshotIndex): Promise<void>;
  /** When a release is complete, with its log and its snapshots, and before it becomes the current one in OUT. */
  release(release: Published): Promise<void>;
}

/** What a release contains. */
export interface Contents {
  /** Of the parts that need no browser the last one: each needs those before it. */
  upTo: Exclude<Part, 'pdfs'>;
  /** What prints PDFs; null: nothing is printed, and those of closed years stay. */
  printing: Printing | null;
}

export interface Printing {
  /** Null: charts are not printed. */
  charts: PrintCharts | null;
  page: Print;
  /** Which PDFs are printed from pages; by default all. */
  prints?: (path: string) => boolean;
}

export const DATA_ONLY: Contents = { upTo: 'data', printing: null };

/** The parts that a run is asked for. */
export function partsAsked({ upTo, printing }: Contents): Part[] {
  return PARTS.filter((part) => (part === 'pdfs' ? printing : PARTS.indexOf(part) <= PARTS.indexOf(upTo)));
}

/** The parts that a release has. */
export function partsOf(manifest: Pick<Manifest, 'files'>): Part[] {
  const { files } = manifest;
  const paths = new Set(files.map(({ path }) => path));
  const has: Record<Part, boolean> = {
    data: true,
    formats: paths.has(DATABASE.path),
    charts: hasCharts(manifest),
    pages: files.some(({ kind }) => kind === 'page'),
    pdfs: hasChartPdfs(manifest) || PRINTED.every(({ path }) => paths.has(path)),
  };
  return PARTS.filter((part) => has[part]);
}
