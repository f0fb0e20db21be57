import { Worker } from 'node:worker_threads';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { ChartJob, ChartReply } from './chart-thread.ts';

/** Gives the text of a chart's file. Throws usage for a series that the data does not have. */
export type WriteChart = (job: ChartJob) => Promise<string>;

export interface ChartWriter {
  write: WriteChart;
  close: () => Promise<void>;
}

/**
 * Writes charts in a thread of its own, for a long history takes a tenth of a second to read, and nobody else is to wait
 * for that. The thread starts with the first chart, and again after it failed.
 */
export function openChartWriter(): ChartWriter {
  let thread: Thread | null = null;
  return {
    write: async (job) => {
      if (!thread || thread.hasEnded) thread = new Thread();
      return thread.write(job);
    },
    close: async () => thread?.end(),
  };
}

/** A year of a sample takes a tenth of it. A thread that needs more ends, and the server does not. */
const MOST_HEAP_MIB = 512;

class Thread {
  readonly #worker = new Worker(new URL('./chart-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MIB },
  });
  /** In the order of the jobs, which is that of the replies. */
  readonly #waiting: PromiseWithResolvers<string>[] = [];
  #hasEnded = false;

  constructor() {
    this.#worker.on('message', (reply: ChartReply) => settle(this.#waiting.shift()!, reply));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread that writes charts has ended')));
    // It never keeps the process from ending.
    this.#worker.unref();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  write(job: ChartJob): Promise<string> {
    const waiting = Promise.withResolvers<string>();
    this.#waiting.push(waiting);
    this.#worker.postMessage(job);
    return waiting.promise;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#hasEnded = true;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function settle({ resolve, reject }: PromiseWithResolvers<string>, reply: ChartReply): void {
  if (!reply.failed) resolve(reply.text);
  else reject(reply.code ? new CathedralError(reply.code, reply.fault) : new Error(reply.message));
}
