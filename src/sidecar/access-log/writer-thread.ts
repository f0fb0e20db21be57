import { parentPort, workerData } from 'node:worker_threads';
import { CathedralError, type ErrorCode, type Fault } from '../../../pipeline/errors.ts';
import { type AccessRecord, FIRST_LINK } from './entry.ts';
import { LogWriter, type LogWriterOptions } from './log-writer.ts';

/** Entries to write, a check whether the next one could be written, or the end of the thread. */
export type WriterRequest = readonly AccessRecord[] | 'check' | 'close';
/** The reply to each request. Errors lose their class between threads, so they travel as plain members. */
export type WriterReply = { failed: false } | { failed: true; code: ErrorCode; fault: Fault };
export type WriterThreadOptions = Omit<LogWriterOptions, 'acknowledged'>;

const port = parentPort!;
const options = workerData as WriterThreadOptions;
const DONE: WriterReply = { failed: false };

let writer: LogWriter | null = null;
let acknowledged = FIRST_LINK;
/** Only the first request waits for another server. */
let waitMs = options.waitMs;

/** The log opens on demand and again after every error, so writing resumes as soon as possible. */
function attempt(work: (writer: LogWriter) => void): void {
  try {
    if (!writer) {
      const patience = waitMs;
      waitMs = 0;
      writer = new LogWriter({ ...options, waitMs: patience, acknowledged });
    }
    work(writer);
    acknowledged = writer.last;
    port.postMessage(DONE);
  } catch (error) {
    giveUp();
    if (!(error instanceof CathedralError)) throw error;
    const { code, place, expected, found } = error;
    port.postMessage({ failed: true, code, fault: { place, expected, found } } satisfies WriterReply);
  }
}

function giveUp(): void {
  try {
    writer?.close();
  } catch {
    // The error was already reported.
  }
  writer = null;
}

port.on('message', (request: WriterRequest) => {
  if (request === 'close') {
    giveUp();
    port.postMessage(DONE);
    port.close();
  } else if (request === 'check') attempt((open) => open.check());
  else attempt((open) => open.appendAll(request));
});
