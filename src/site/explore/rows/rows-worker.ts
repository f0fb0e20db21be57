import { isServed } from '../../layout/live/is-served.ts';
import { answerJobs, askHost, NeedsConsent } from '../../layout/worker-jobs.ts';
import type { Traffic } from './remote-file.ts';
import type { Selection } from './selection.ts';
import type { TableAbout } from './table-about.ts';
import { openRows, type PageOfRows, type TableRows } from './table-rows.ts';

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
let opened: Promise<TableRows> | null = null;

answerJobs<RowsJob, RowsAnswer, Traffic>(async ({ about, selection, want, allowed }, { news }) => {
  try {
    opened ??= openRows(about, {
      fetch: askHost,
      traffic,
      isServed: () => isServed('/').catch(() => false),
    });
    return await (await opened)[want](selection, allowed);
  } catch (error) {
    // What was read is kept while the reader is asked; a file that was not sent is asked for again.
    if (!(error instanceof NeedsConsent)) opened = null;
    throw error;
  } finally {
    news(traffic);
  }
});
