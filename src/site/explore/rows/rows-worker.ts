import { CannotRead, type Traffic } from './ranged-file.ts';
import { NeedsConsent, openRows, type PageOfRows, type RowSource } from './row-source.ts';
import type { Selection } from './selection.ts';
import type { TableAbout } from './table-about.ts';

/** One at a time. To cancel one, end the worker. */
export interface RowsJob {
  about: TableAbout;
  selection: Selection;
  want: 'page' | 'csv';
  /** Bytes that may be read without asking. */
  allowed: number;
}

export type RowsReply = { traffic: Traffic } & (
  | { kind: 'page'; page: PageOfRows }
  | { kind: 'csv'; blob: Blob }
  | { kind: 'consent'; bytes: number; use: string }
  | { kind: 'failed'; message: string }
);

const traffic: Traffic = { requests: 0, bytes: 0 };
let opened: Promise<RowSource> | null = null;

async function answer({ about, selection, want, allowed }: RowsJob): Promise<RowsReply> {
  try {
    opened ??= openRows(about, traffic, (path, init) => fetch(path, init));
    const source = await opened;
    if (want === 'csv') return { kind: 'csv', blob: await source.csv(selection, allowed), traffic };
    return { kind: 'page', page: await source.page(selection, allowed), traffic };
  } catch (error) {
    if (error instanceof NeedsConsent)
      return { kind: 'consent', bytes: error.bytes, use: error.use, traffic };
    opened = null;
    const said = error instanceof CannotRead || !(error instanceof TypeError);
    const message = said ? (error as Error).message : `The host does not answer: ${(error as Error).message}`;
    return { kind: 'failed', message, traffic };
  }
}

addEventListener('message', ({ data }: MessageEvent<RowsJob>) => {
  void answer(data).then((reply) => postMessage(reply));
});
