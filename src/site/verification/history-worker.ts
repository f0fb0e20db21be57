import '../reference/attestations/without-eval.ts';
import { CathedralError, type Finding, findingOf } from '../../../pipeline/errors.ts';
import type { Checkpoint } from '../../../pipeline/ledger/notes/checkpoint.ts';
import { parseVerifierKey } from '../../../pipeline/ledger/notes/note.ts';
import { PageOrigin } from '../../../pipeline/verify/page-origin.ts';
import { openPublicLog } from '../../../pipeline/verify/rows/public-log.ts';
import { RowLog } from '../../../pipeline/verify/rows/row-log.ts';
import { type HistoryVerdict, verifyHistory } from '../../../pipeline/verify/rows/verify-history.ts';

/** What the page asks for: a file to compare with the log of its host, and verifier keys of the ledger. */
export interface HistoryJob {
  file: File;
  keys: string[];
}

/** What the worker says, in this order; `failed` ends it at any time. */
export type HistoryNews =
  | { news: 'opened'; checkpoint: Checkpoint; note: string; key: string }
  | { news: 'progress'; stage: 'folding' | 'comparing'; done: number; total: number }
  /** Null: the host publishes no events. */
  | { news: 'done'; verdict: HistoryVerdict | null }
  | { news: 'failed'; finding: Finding | null; message: string };

/** In a thread of its own, so that the page goes on reacting; who stops it ends the thread. */
addEventListener('message', ({ data }: MessageEvent<HistoryJob>) => {
  compare(data).catch((error: Error) =>
    tell({
      news: 'failed',
      finding: error instanceof CathedralError ? findingOf(error) : null,
      message: error.message,
    }),
  );
});

async function compare({ file, keys }: HistoryJob): Promise<void> {
  const log = await RowLog.open(new PageOrigin(), keys.map(parseVerifierKey));
  const { checkpoint, note, verifier } = log;
  tell({ news: 'opened', checkpoint, note, key: `${verifier.name}+${verifier.id}` });
  const events = await openPublicLog(log);
  const onProgress = (progress: { stage: 'folding' | 'comparing'; done: number; total: number }) =>
    tell({ news: 'progress', ...progress });
  const verdict = events && (await verifyHistory(chunksOf(file), events, { onProgress }));
  tell({ news: 'done', verdict });
}

async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

function tell(news: HistoryNews): void {
  // The types of this project are those of a page.
  (globalThis as unknown as { postMessage(news: HistoryNews): void }).postMessage(news);
}
