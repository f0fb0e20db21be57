import { answerJobs, askHost, NeedsConsent } from '../../layout/worker-jobs.ts';
import type { Traffic } from './remote-file.ts';
import { openRows, type PageOfRows, type RowSource } from './row-source.ts';
import type { Selection } from './selection.ts';
import type { TableAbout } from './table-about.ts';

export interface RowsJob {
  about: TableAbout;
  selection: Selection;
  want: 'page' | 'csv';
  /** Bytes that may be read without asking. */
  allowed: number;
}

/** A page of a selection, or all of it as a CSV file. */
export type RowsAnswer = PageOfRows | Blob;

const traffic: Traffic = { requests: 0, bytes: 0 };
let opened: Promise<RowSource> | null = null;

answerJobs<RowsJob, RowsAnswer, Traffic>(async ({ about, selection, want, allowed }, { news }) => {
  try {
    opened ??= openRows(about, traffic, askHost);
    const source = await opened;
    return want === 'csv' ? await source.csv(selection, allowed) : await source.page(selection, allowed);
  } catch (error) {
    // What was read is kept while the reader is asked; a file that was not sent is asked for again.
    if (!(error instanceof NeedsConsent)) opened = null;
    throw error;
  } finally {
    news(traffic);
  }
});
