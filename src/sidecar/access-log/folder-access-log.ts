import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../../pipeline/config/project.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { asStoreError } from '../storage/open-database.ts';
import { type AccessLog, type AccessLogOptions, createAccessLog } from './access-log.ts';
import type { LastingWriterOptions, WriterRequest } from './lasting-writer.ts';
import type { WriterReply } from './writer-thread.ts';

export interface FolderLogOptions extends AccessLogOptions {
  dir: string;
  maxFileBytes?: number;
  waitMs?: number;
}

/** Small enough to copy and mail; holds some hundred thousand entries. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Time for a replaced server to finish its work. */
const LOCK_WAIT_MS = 15_000;

/**
 * Opens a folder's log for writing. A thread waits for the disk, so that public files are served meanwhile. The log opens
 * lazily, and every entry or check retries a failed open. Both reject with locked if another process writes, with
 * access_log_broken if entries are missing from the end, with store_failed if the disk fails or a log file was removed or
 * replaced.
 */
export function openFolderAccessLog(
  { dir, maxFileBytes, waitMs, ...options }: FolderLogOptions,
  openWriter: (options: LastingWriterOptions) => Writer = (own) => new WriterThread(own),
): AccessLog {
  const writer = openWriter({
    dir,
    maxFileBytes: maxFileBytes ?? MAX_FILE_BYTES,
    waitMs: waitMs ?? LOCK_WAIT_MS,
  });
  return createAccessLog(
    {
      append: (records) => writer.send(records),
      check: () => writer.send('check'),
      close: () => writer.send('close'),
    },
    options,
  );
}

/** Handles one request at a time. */
export interface Writer {
  send: (request: WriterRequest) => Promise<void>;
}

class WriterThread implements Writer {
  readonly #dir: string;
  readonly #worker: Worker;
  #answer = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(options: LastingWriterOptions) {
    this.#dir = options.dir;
    this.#worker = new Worker(moduleUrl('src/sidecar/access-log/writer-thread.ts'), { workerData: options });
    this.#worker.on('message', (reply: WriterReply) => {
      if (reply.failed) this.#answer.reject(new CathedralError(reply.code, reply.fault));
      else this.#answer.resolve();
    });
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the writer has ended')));
  }

  async send(request: WriterRequest): Promise<void> {
    if (this.#hasEnded) throw asStoreError(this.#dir, new Error('the writer has ended'));
    this.#answer = Promise.withResolvers();
    this.#worker.postMessage(request);
    await this.#answer.promise;
  }

  /** Rejects the pending request, if there is one. */
  #end(error: Error): void {
    this.#hasEnded = true;
    this.#answer.promise.catch(() => undefined);
    this.#answer.reject(asStoreError(this.#dir, error));
  }
}
