import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { RenderedPage } from '../../../pipeline/build/site/open-program.ts';
import { moduleUrl } from '../../../pipeline/config/project.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { Problem } from '../../api/problem.ts';
import { ConcurrencyLimit } from '../limits/concurrency-limit.ts';
import type { RenderJob, RenderReply } from './renderer-thread.ts';

/**
 * The media type of a picture is empty. Rejects with the CathedralError of the job, with a Problem overloaded if it takes too long, or with an Error
 * if the thread fails.
 */
export type Render = (job: RenderJob) => Promise<RenderedPage>;

export interface RendererOptions {
  /** Threads. */
  parallel: number;
  /** Jobs that may wait: in all, and a quarter of them for one client. */
  waiting: number;
  /** Memory of each thread, MiB. A thread that needs more ends, and nothing else does. */
  heapMib: number;
  /** For one job, ms. */
  timeoutMs: number;
  /** A thread without jobs for this long ends, and its memory is free, ms. */
  idleMs: number;
}

const DEFAULTS: RendererOptions = {
  /**
   * One core is left to all other requests, where there are several. At most half of the threads of libuv's pool, which compress what was
   * rendered and also read files.
   */
  parallel: Math.max(1, Math.min(2, availableParallelism() - 1)),
  /** The last one waits a few seconds. */
  waiting: 100,
  /** A release of a year takes less than half of it, pages and pictures together. */
  heapMib: 512,
  /** Longer than any page takes, including the first of a release. */
  timeoutMs: 20_000,
  idleMs: 10 * 60 * 1000,
};

/** After a drawing that took too long. */
const RETRY_AFTER_S = 30;

/** What a thread does, one piece of work after the other. */
interface Lane {
  /** Null before its first job. */
  thread: RenderThread | null;
  /** Pieces of work that are not done. */
  due: number;
  /** Resolves after the last of them. */
  last: Promise<unknown>;
}

/**
 * Renders the pages and pictures of any chart state, in threads: a long history takes a tenth of a second to read, and
 * requests for anything else do not wait for it. A thread has one job at a time, so one that crashes, hangs or runs out of memory fails only
 * that job, and the next one gets another thread. Threads start when there is work.
 */
export class Renderer {
  readonly #options: RendererOptions;
  readonly #places: ConcurrencyLimit;
  readonly #lanes: readonly Lane[];
  #isClosed = false;

  constructor(options: Partial<RendererOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options };
    const { parallel, waiting } = this.#options;
    this.#places = new ConcurrencyLimit({
      what: 'charts and pages are being drawn on request',
      parallel: parallel + waiting,
      perHolder: parallel + Math.ceil(waiting / 4),
    });
    this.#lanes = Array.from({ length: parallel }, () => ({ thread: null, due: 0, last: Promise.resolve() }));
  }

  /** Does a piece of work for a client, with a thread for the release in `dir`. Throws a Problem overloaded if too much work is waiting. */
  async run<T>(client: string, dir: string, work: (render: Render) => Promise<T>): Promise<T> {
    const leave = this.#places.take(client);
    const lane = this.#lanes.reduce((least, one) => (one.due < least.due ? one : least));
    lane.due += 1;
    const done = lane.last.then(() => work((job) => this.#threadOf(lane, dir).render(job)));
    lane.last = done.catch(() => {});
    try {
      return await done;
    } finally {
      lane.due -= 1;
      leave();
    }
  }

  /** Ends all threads; jobs that are being done or wait fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#lanes.map(({ thread }) => thread?.end(new Error('the renderer was closed'))));
  }

  /** A thread holds the data and the program of one release, and a program cannot be unloaded. */
  #threadOf(lane: Lane, dir: string): RenderThread {
    if (this.#isClosed) throw new Error('the renderer was closed');
    const { thread } = lane;
    if (thread?.dir === dir && !thread.hasEnded) return thread;
    void thread?.end(new Error('its place was needed'));
    lane.thread = new RenderThread(dir, this.#options);
    return lane.thread;
  }
}

class RenderThread {
  /** Folder of the release that its jobs are for. */
  readonly dir: string;
  readonly #timeoutMs: number;
  readonly #worker: Worker;
  readonly #idle: NodeJS.Timeout;
  #pending: PromiseWithResolvers<RenderReply> | null = null;
  #hasEnded = false;

  constructor(dir: string, { heapMib, timeoutMs, idleMs }: RendererOptions) {
    this.dir = dir;
    this.#timeoutMs = timeoutMs;
    this.#worker = new Worker(moduleUrl('src/sidecar/charts/renderer-thread.ts'), {
      resourceLimits: { maxOldGenerationSizeMb: heapMib },
      // Nothing of the server's own environment but where compiled programs are kept. A thread would take undefined for a folder's name.
      env: { NODE_ENV: 'production', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' },
    });
    this.#worker.on('message', (reply: RenderReply) => this.#pending?.resolve(reply));
    this.#worker.on('error', (error: Error) => void this.end(error));
    this.#worker.on('exit', () => void this.end(new Error('the thread that renders charts has ended')));
    // It must not keep the process alive.
    this.#worker.unref();
    this.#idle = setTimeout(() => void this.end(new Error('idle')), idleMs).unref();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  async render(job: RenderJob): Promise<RenderedPage> {
    this.#idle.refresh();
    const pending = Promise.withResolvers<RenderReply>();
    this.#pending = pending;
    const ms = this.#timeoutMs;
    const late = setTimeout(() => void this.end(tookTooLong(job, ms)), ms);
    this.#worker.postMessage(job);
    try {
      return renderedOf(await pending.promise);
    } finally {
      clearTimeout(late);
      this.#pending = null;
    }
  }

  /** Fails the current job, if there is one. */
  async end(reason: Error): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#idle);
    this.#pending?.reject(reason);
    await this.#worker.terminate();
  }
}

/** What hangs is drawn no sooner the next time; on a machine that is busy, it may be. */
function tookTooLong(job: RenderJob, ms: number): Problem {
  return new Problem(
    'overloaded',
    'Drawing this took too long. What the release has, without parameters, is still available.',
    { 'Retry-After': String(RETRY_AFTER_S) },
    { cause: new Error(`${nameOf(job)} took longer than ${ms} ms`) },
  );
}

function nameOf(job: RenderJob): string {
  return job.kind === 'file' ? `chart ${job.id}` : job.url;
}

function renderedOf(reply: RenderReply): RenderedPage {
  if (!reply.failed) {
    const { status, type, body } = reply;
    return { status, type, body: Buffer.from(body.buffer, body.byteOffset, body.length) };
  }
  throw reply.code ? new CathedralError(reply.code, reply.fault) : new Error(reply.message);
}
