import { availableParallelism } from 'node:os';
import { publicBundlePath } from '../../ledger/log/public-bundle.ts';
import { TILE_WIDTH, tilePath } from '../../ledger/log/tile.ts';
import { WorkThread } from '../audit/work-thread.ts';
import { LOG, type Origin } from '../origin.ts';
import type { BlockBytes } from './compare-rows.ts';
import type { HistoryTable } from './history-tables.ts';
import type { RowLog } from './row-log.ts';
import type { RowBytesAhead } from './verify-history.ts';

/** The files of a bundle on this machine. */
export interface BundleFiles {
  number: number;
  bundle: string;
  tile: string;
}

/** The bundles of a job, the newest one first. */
export interface HistoryJob {
  /** Of the history. */
  path: string;
  files: BundleFiles[];
}

/** The rows of a bundle, each of which follows from a leaf of the tile. */
export interface ProvenBlock extends BlockBytes {
  /** Of the tree over the tile. */
  root: string;
}

/** Null for bundles that have to be read as events. */
export type HistoryReply = (ProvenBlock | null)[];

const MOST_THREADS = 4;
const BUNDLES_PER_JOB = 8;
/** Of the memory of a thread: more makes it no faster. */
const YOUNG_MB = 16;
/** A reply of the thread is awaited while it has the next jobs. */
const JOBS_PER_THREAD = 3;

/**
 * The rows of a history as bytes, from the files of a log on this machine: threads hash the lines and write the rows, ahead of a comparison
 * that goes from the newest bundle to the oldest. Everything that it returns follows from the log’s checkpoint.
 */
export class HistoryBytes implements RowBytesAhead, Disposable {
  readonly #origin: Origin;
  readonly #log: RowLog;
  readonly #version: number;
  readonly #threads: WorkThread<HistoryJob, HistoryReply>[] = [];
  readonly #ahead = new Map<number, Promise<ProvenBlock | null>>();
  #table: HistoryTable | null = null;
  #jobs = 0;

  private constructor(origin: Origin, log: RowLog, version: number) {
    this.#origin = origin;
    this.#log = log;
    this.#version = version;
  }

  /** Null: the log is not on this machine. */
  static async of(origin: Origin, log: RowLog): Promise<HistoryBytes | null> {
    const events = origin.disk ? await log.publicEvents() : null;
    return events && new HistoryBytes(origin, log, events.policy.version);
  }

  async block(
    table: HistoryTable,
    number: number,
    mayHave: (number: number) => boolean,
  ): Promise<BlockBytes | null> {
    if ((number + 1) * TILE_WIDTH > this.#log.checkpoint.size) return null;
    this.#prepare(table, number, mayHave);
    const found = await this.#ahead.get(number);
    this.#ahead.delete(number);
    if (!found) return null;
    const above = await this.#log.reader.tile(1, Math.floor(number / TILE_WIDTH)).catch(() => null);
    return found.root === above?.[number % TILE_WIDTH] ? found : null;
  }

  [Symbol.dispose](): void {
    for (const thread of this.#threads) thread.end();
  }

  #prepare(table: HistoryTable, number: number, mayHave: (number: number) => boolean): void {
    if (table !== this.#table) this.#ahead.clear();
    this.#table = table;
    for (const known of this.#ahead.keys()) if (known > number) this.#ahead.delete(known);
    if (this.#threads.length === 0)
      for (let index = 0; index < Math.min(MOST_THREADS, availableParallelism()); index += 1)
        this.#threads.push(new WorkThread('pipeline/verify/rows/history-thread.ts', YOUNG_MB));
    const most = JOBS_PER_THREAD * this.#threads.length * BUNDLES_PER_JOB;
    let next = Math.min(number, ...this.#ahead.keys().map((known) => known - 1));
    if (this.#ahead.size > 0 && !this.#ahead.has(number)) {
      this.#ahead.clear();
      next = number;
    }
    while (next >= 0 && this.#ahead.size < most) {
      const files: BundleFiles[] = [];
      for (; next >= 0 && files.length < BUNDLES_PER_JOB; next -= 1)
        if (mayHave(next)) files.push(this.#files(next));
      if (files.length > 0) this.#begin({ path: table.path, files });
    }
  }

  #files(number: number): BundleFiles {
    const bundle = publicBundlePath({ index: number, width: TILE_WIDTH }, this.#version);
    const tile = tilePath({ level: 0, index: number, width: TILE_WIDTH });
    const [one, other] = [bundle, tile].map((path) => this.#origin.placeOf(`${LOG}/${path}`));
    return { number, bundle: one!, tile: other! };
  }

  #begin(job: HistoryJob): void {
    const thread = this.#threads[this.#jobs % this.#threads.length]!;
    this.#jobs += 1;
    // What is wrong shows when the events are read.
    const reply = thread.run(job).catch((): HistoryReply => []);
    for (const [at, { number }] of job.files.entries())
      this.#ahead.set(
        number,
        reply.then((blocks) => blocks[at] ?? null),
      );
  }
}
