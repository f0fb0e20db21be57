import { parentPort, workerData } from 'node:worker_threads';
import { CathedralError, type ErrorCode, type Fault } from '../../../pipeline/errors.ts';
import type { AccessRecord } from './entry.ts';
import { LogWriter, type LogWriterOptions } from './log-writer.ts';

/** `null` ends the thread. */
export type WriterRequest = readonly AccessRecord[] | null;
/** One after the start and one after each request. An error crosses threads without its class, so it is taken apart. */
export type WriterReply = { failed: false } | { failed: true; code: ErrorCode; fault: Fault };

const port = parentPort!;
const DONE: WriterReply = { failed: false };

function attempt(work: () => void): boolean {
  try {
    work();
    port.postMessage(DONE);
    return true;
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    const { code, place, expected, found } = error;
    port.postMessage({ failed: true, code, fault: { place, expected, found } } satisfies WriterReply);
    return false;
  }
}

let writer: LogWriter | undefined;
const isOpen = attempt(() => {
  writer = new LogWriter(workerData as LogWriterOptions);
});
if (isOpen) {
  port.on('message', (request: WriterRequest) => {
    if (request) attempt(() => writer?.appendAll(request));
    else attempt(() => writer?.close()) && port.close();
  });
}
