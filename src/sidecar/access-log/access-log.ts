import { Worker } from 'node:worker_threads';
import { CathedralError } from '../../../pipeline/errors.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import { asStoreError } from '../storage/store-error.ts';
import { type Access, type AccessRecord, recordAccess } from './entry.ts';
import type { LogWriterOptions } from './log-writer.ts';
import type { WriterReply, WriterRequest } from './writer-thread.ts';

export interface AccessLog {
  /**
   * Resolves when the entry is on the disk. Rejects with store_failed, access_log_broken or overloaded (or a RangeError
   * where the time is none): then the answer must not be sent.
   */
  append: (access: Access) => Promise<void>;
  /** After everything that was appended. */
  close: () => Promise<void>;
}

export type AccessLogOptions = Pick<LogWriterOptions, 'dir'> & Partial<LogWriterOptions>;

/** Small enough to be copied and mailed; some hundred thousand entries. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** A server that is being replaced finishes what it has begun. */
const LOCK_WAIT_MS = 15_000;

/**
 * Opens the log of a folder for writing. The disk is waited for in a thread, so that public files are served meanwhile.
 * Rejects with locked where another process writes it, with access_log_broken where entries were taken away from its end,
 * with store_failed where it cannot be written.
 */
export async function openAccessLog(options: AccessLogOptions): Promise<AccessLog> {
  const writer = await WriterThread.start({ maxFileBytes: MAX_FILE_BYTES, waitMs: LOCK_WAIT_MS, ...options });
  const appends = new GroupCommit<AccessRecord, void>({
    commit: async (batch) => {
      await writer.send(batch);
      return [];
    },
  });
  return {
    append: async (access) => appends.add(recordAccess(access)),
    close: async () => {
      await appends.idle();
      await writer.send(null);
    },
  };
}

/** The thread that writes; one request at a time. */
class WriterThread {
  readonly #dir: string;
  readonly #worker: Worker;
  #answer = Promise.withResolvers<void>();
  #hasEnded = false;

  private constructor(options: LogWriterOptions) {
    this.#dir = options.dir;
    this.#worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: options });
    this.#worker.on('message', (reply: WriterReply) => {
      if (reply.failed) this.#answer.reject(new CathedralError(reply.code, reply.fault));
      else this.#answer.resolve();
    });
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the writer has ended')));
  }

  /** Resolves when the log is open. */
  static async start(options: LogWriterOptions): Promise<WriterThread> {
    const thread = new WriterThread(options);
    await thread.#answer.promise;
    return thread;
  }

  async send(request: WriterRequest): Promise<void> {
    if (this.#hasEnded) throw asStoreError(this.#dir, new Error('the writer has ended'));
    this.#answer = Promise.withResolvers();
    this.#worker.postMessage(request);
    await this.#answer.promise;
  }

  /** Rejects what waits for an answer, if anything does. */
  #end(error: Error): void {
    this.#hasEnded = true;
    this.#answer.promise.catch(() => undefined);
    this.#answer.reject(asStoreError(this.#dir, error));
  }
}
