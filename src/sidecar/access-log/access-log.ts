import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../../pipeline/config/project.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import { asStoreError } from '../storage/open-database.ts';
import { type Access, type AccessRecord, recordAccess } from './entry.ts';
import { REFUSAL_LIMITS, type RefusalLimits, Refusals } from './refusals.ts';
import type { WriterReply, WriterRequest, WriterThreadOptions } from './writer-thread.ts';

export interface AccessLog {
  /**
   * Resolves when the entry is on disk, or when a refused request beyond the budget has been counted for a later summary entry.
   * Rejects with store_failed, access_log_broken, locked or overloaded (or a RangeError for an invalid time): then the answer
   * must not be sent.
   */
  append: (access: Access) => Promise<void>;
  /** Rejects with the error that the next entry would get. */
  check: () => Promise<void>;
  /** Closes the log after all appended entries are written. */
  close: () => Promise<void>;
}

export interface AccessLogOptions {
  dir: string;
  maxFileBytes?: number;
  waitMs?: number;
  refusals?: RefusalLimits;
  /** Called once per fault of the log, and with null when the fault is over. */
  onChange?: (fault: unknown) => void;
}

/** Small enough to copy and mail; holds some hundred thousand entries. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** How long refused requests are counted before a summary entry is written, ms. A kill loses at most this much. */
const SUM_MS = 60_000;
/** Time for a replaced server to finish its work. */
const LOCK_WAIT_MS = 15_000;

/**
 * Opens a folder's log for writing. A thread waits for the disk, so that public files are served meanwhile. The log opens
 * lazily, and every entry or check retries a failed open. Both reject with locked if another process writes, with
 * access_log_broken if entries are missing from the end, with store_failed if the disk fails or a log file was removed or
 * replaced.
 */
export function openAccessLog({
  dir,
  onChange = () => undefined,
  refusals: refusalLimits = REFUSAL_LIMITS,
  ...limits
}: AccessLogOptions): AccessLog {
  const options = { maxFileBytes: MAX_FILE_BYTES, waitMs: LOCK_WAIT_MS, ...limits, dir };
  const writer = new WriterThread(options, onChange);
  const appends = new GroupCommit<AccessRecord, void>({
    commit: async (batch) => {
      await writer.send(batch);
      return [];
    },
  });
  const refusals = new Refusals(refusalLimits);
  const writeSum = async () => {
    const sum = refusals.takeSum();
    await (sum && appends.add(recordAccess(sum.access)).catch(sum.giveBack));
  };
  const summing = setInterval(() => void writeSum(), SUM_MS).unref();
  let checking: Promise<void> | null = null;
  return {
    append: async (access) => {
      if (!access.isRefused || refusals.take(access)) await appends.add(recordAccess(access));
    },
    check: () => {
      checking ??= writer.send('check').finally(() => {
        checking = null;
      });
      return checking;
    },
    close: async () => {
      clearInterval(summing);
      await writeSum();
      await appends.idle();
      await writer.send('close');
    },
  };
}

/** The writer thread. Handles one request at a time. */
class WriterThread {
  readonly #dir: string;
  readonly #worker: Worker;
  readonly #onChange: (fault: unknown) => void;
  #answer = Promise.withResolvers<void>();
  /** Settles when the previous request was answered. */
  #turn: Promise<unknown> = Promise.resolve();
  #hasEnded = false;
  #fault: string | null = null;

  constructor(options: WriterThreadOptions, onChange: (fault: unknown) => void) {
    this.#dir = options.dir;
    this.#onChange = onChange;
    this.#worker = new Worker(moduleUrl('src/sidecar/access-log/writer-thread.ts'), { workerData: options });
    this.#worker.on('message', (reply: WriterReply) => {
      if (reply.failed) this.#answer.reject(new CathedralError(reply.code, reply.fault));
      else this.#answer.resolve();
    });
    this.#worker.on('error', (error: Error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the writer has ended')));
  }

  send(request: WriterRequest): Promise<void> {
    const sent = this.#turn.then(() => this.#ask(request));
    this.#turn = sent.catch(() => undefined);
    return sent;
  }

  async #ask(request: WriterRequest): Promise<void> {
    try {
      if (this.#hasEnded) throw asStoreError(this.#dir, new Error('the writer has ended'));
      this.#answer = Promise.withResolvers();
      this.#worker.postMessage(request);
      await this.#answer.promise;
      if (request !== 'close') this.#noteFault(null);
    } catch (error) {
      this.#noteFault(error as CathedralError);
      throw error;
    }
  }

  /** Consecutive requests with the same fault report it once. */
  #noteFault(fault: CathedralError | null): void {
    const code = fault?.code ?? null;
    if (code === this.#fault) return;
    this.#fault = code;
    this.#onChange(fault);
  }

  /** Rejects the pending request, if there is one. */
  #end(error: Error): void {
    this.#hasEnded = true;
    this.#answer.promise.catch(() => undefined);
    this.#answer.reject(asStoreError(this.#dir, error));
  }
}
