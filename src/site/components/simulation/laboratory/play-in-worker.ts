import type { RunRow } from '../../../../simulation/laboratory/run-row.ts';
import type { SetUp } from '../../../../simulation/laboratory/set-up.ts';
import type { BatchNews } from './batch-worker.ts';

export interface BatchListener {
  /** All rows so far. */
  progress: (rows: readonly RunRow[]) => void;
  done: (rows: readonly RunRow[]) => void;
  /** The worker is gone; what it had sent remains. */
  failed: (reason: string, rows: readonly RunRow[]) => void;
}

/** A worker sends something ten times a second, unless its machine or its browser has stopped it. */
const SILENCE_MS = 30_000;

/** Plays a batch in a worker of its own. The result ends it at once: nothing runs afterwards. */
export function playInWorker(script: string, setUp: SetUp, listener: BatchListener): () => void {
  const rows: RunRow[] = [];
  const worker = new Worker(script);
  let watch = 0;
  const end = () => {
    clearTimeout(watch);
    worker.terminate();
  };
  const fail = (reason: string) => {
    end();
    listener.failed(reason, rows);
  };
  const listen = () => {
    clearTimeout(watch);
    // A page that is not shown may be frozen together with its worker.
    watch = window.setTimeout(
      () => (document.hidden ? listen() : fail('It has not answered for 30 seconds.')),
      SILENCE_MS,
    );
  };
  worker.onmessage = ({ data }: MessageEvent<BatchNews>) => {
    for (const row of data.rows) rows.push(row);
    listen();
    if (!data.isDone) return listener.progress(rows);
    end();
    listener.done(rows);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message || 'Its script could not be loaded.');
  };
  worker.onmessageerror = () => fail('Its message could not be read.');
  listen();
  worker.postMessage(setUp);
  return end;
}
