import type { PrintCharts } from '../charts/files/print-charts.ts';
import type { Published } from '../release/format/release.ts';
import type { SnapshotIndex } from '../release/format/snapshot-index.ts';
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

/** What a release contains besides the data files. */
export interface Contents {
  /** Every table in further formats, and the catalogues of the files. */
  formats: boolean;
  /** Every chart as files. `print`: as PDF too. Null: none. */
  charts: { print: PrintCharts | null } | null;
  pages: Pages | null;
}

/** The site. */
export interface Pages {
  /** Prints the reports as PDF. Null: nothing is printed; PDFs of closed years stay. */
  print: Print | null;
  /** Which PDFs to print; by default all. */
  prints?: (path: string) => boolean;
}

export const DATA_ONLY: Contents = { formats: false, charts: null, pages: null };
