import { availableParallelism } from 'node:os';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import type { RowForm } from './export-row.ts';
import type { LogEntries } from './log-entries.ts';
import type { FilterFields } from './row-bytes.ts';
import { WorkThread } from './work-thread.ts';

/** The bundles of a job, the newest one first. */
export interface RowsJob {
  form: RowForm;
  withFields: boolean;
  /** Bytes, or the file that has them. */
  bundles: (Uint8Array | string)[];
  /** Buffers of earlier replies, to be used again: the garbage collector would let many pile up. */
  used: ArrayBuffer[];
}

/** What becomes of a bundle. */
export interface BundleRows {
  /** Of the tree over its entries. */
  root: string;
  /** The rows of its entries, newest first, each with its line end. */
  bytes: Uint8Array;
  /** The offset of each row, and of the end. */
  ends: Uint32Array;
  /** Of each row, for a filter. */
  fields: FilterFields[] | null;
  /** With `0x` before them. */
  hashes: string[] | null;
}

/** Null for bundles that only the plain comparison can say something about. */
export type RowsReply = (BundleRows | null)[];

export interface RowsOfBundle extends Pick<BundleRows, 'ends' | 'fields'> {
  number: number;
  bytes: Buffer;
  /** With `0x` before it. */
  hashOf: (row: number) => string;
}

export interface LogRowsOptions {
  form: RowForm;
  withFields: boolean;
  /** Bundles that must be left to compare before threads are started for them, which takes about as long as comparing these. */
  worthwhile?: number;
  threads?: number;
}

const WORTHWHILE = 16;
/** Bytes of rows that a thread makes at once; those of a single bundle may be more. */
const JOB_BYTES = 1 << 18;
const MOST_THREADS = 4;
/** A reply of the thread is awaited while it has the next job. */
const JOBS_PER_THREAD = 3;
type RowsThread = WorkThread<RowsJob, RowsReply>;

/**
 * The rows that an export has of a log's full bundles, as bytes: threads hash the entries and write the rows, ahead of a comparison
 * that goes from the newest to the oldest. Everything that it returns follows from the log's checkpoint.
 */
export class LogRows implements Disposable {
  readonly #log: LogEntries;
  readonly #options: LogRowsOptions;
  readonly #threads: RowsThread[] = [];
  /** Bundles that were asked for or will be. */
  readonly #ahead = new Map<number, Promise<BundleRows | null>>();
  #bundlesPerJob = 1;
  #open: BundleRows | null = null;
  #used: ArrayBuffer[] = [];
  #jobs = 0;

  constructor(log: LogEntries, options: LogRowsOptions) {
    this.#log = log;
    this.#options = options;
  }

  /**
   * The rows of a bundle; those of older bundles, down to the one of the entry `oldest`, are prepared. Null: the bundle is not full,
   * or something is wrong with it that reading its entries will show, or threads are not worthwhile. The rows of the previous bundle
   * must not be used any more.
   */
  async bundle(number: number, oldest: number): Promise<RowsOfBundle | null> {
    const last = Math.floor(oldest / TILE_WIDTH);
    if (this.#open) this.#used.push(this.#open.bytes.buffer as ArrayBuffer);
    this.#open = null;
    if ((number + 1) * TILE_WIDTH > this.#log.size) return null;
    const { worthwhile = WORTHWHILE } = this.#options;
    if (this.#threads.length === 0 && number - last + 1 < worthwhile) return null;
    this.#prepare(number, last);
    const rows = await this.#ahead.get(number)!;
    const root = rows && (await this.#log.rootOf(number).catch(() => null));
    if (!rows || rows.root !== root) return null;
    this.#open = rows;
    this.#ahead.delete(number);
    const { ends, fields } = rows;
    const bytes = Buffer.from(rows.bytes.buffer, rows.bytes.byteOffset, rows.bytes.length);
    return { number, bytes, ends, fields, hashOf: (row) => rows.hashes![row]! };
  }

  [Symbol.dispose](): void {
    for (const thread of this.#threads) thread.end();
  }

  #prepare(number: number, last: number): void {
    for (const known of this.#ahead.keys()) if (known > number) this.#ahead.delete(known);
    if (this.#threads.length === 0) {
      const { threads = Math.min(MOST_THREADS, availableParallelism()) } = this.#options;
      for (let index = 0; index < threads; index += 1)
        this.#threads.push(new WorkThread('pipeline/verify/audit/rows-thread.ts'));
    }
    const most = JOBS_PER_THREAD * this.#threads.length * this.#bundlesPerJob;
    let next = number;
    while (this.#ahead.has(next)) next -= 1;
    for (; next >= last && this.#ahead.size < most; next -= this.#bundlesPerJob)
      this.#begin(next, Math.max(last, next - this.#bundlesPerJob + 1));
  }

  #begin(newest: number, oldest: number): void {
    const thread = this.#threads[this.#jobs % this.#threads.length]!;
    this.#jobs += 1;
    // What is wrong shows when the entries are read.
    const reply = this.#work(thread, newest, oldest).catch((): RowsReply => []);
    for (let number = newest; number >= oldest; number -= 1)
      this.#ahead.set(
        number,
        reply.then((bundles) => bundles[newest - number] ?? null),
      );
  }

  async #work(thread: RowsThread, newest: number, oldest: number): Promise<RowsReply> {
    const { form, withFields } = this.#options;
    const bundles: RowsJob['bundles'] = [];
    for (let number = newest; number >= oldest; number -= 1) bundles.push(await this.#log.unverified(number));
    const used = this.#used.splice(0);
    const reply = await thread.run({ form, withFields, bundles, used }, used);
    const most = Math.max(...reply.map((rows) => rows?.bytes.length ?? 0));
    if (most > 0) this.#bundlesPerJob = Math.max(1, Math.floor(JOB_BYTES / most));
    return reply;
  }
}
