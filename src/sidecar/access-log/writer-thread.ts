import { parentPort, workerData } from 'node:worker_threads';
import { CathedralError, type ErrorCode, type Fault } from '../../../pipeline/errors.ts';
import { LastingWriter, type LastingWriterOptions, type WriterRequest } from './lasting-writer.ts';

/** The reply to each request. Errors lose their class between threads, so they travel as plain members. */
export type WriterReply = { failed: false } | { failed: true; code: ErrorCode; fault: Fault };

const port = parentPort!;
const writer = new LastingWriter(workerData as LastingWriterOptions);

port.on('message', (request: WriterRequest) => {
  port.postMessage(replyTo(request));
  if (request === 'close') port.close();
});

function replyTo(request: WriterRequest): WriterReply {
  try {
    writer.handle(request);
    return { failed: false };
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    const { code, place, expected, found } = error;
    return { failed: true, code, fault: { place, expected, found } };
  }
}
