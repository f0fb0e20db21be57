import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../config/project.ts';
import { CathedralError } from '../../errors.ts';
import type { Given, RenderedPage } from './open-program.ts';
import type { PageJob, PageReply, PageSource } from './page-thread.ts';

/** One for each core of a small machine. Each loads the program and what its pages read, and holds them. */
const THREADS = 2;
/** For so few pages, one thread is enough: to start another costs more time and memory than it saves. A run of one snapshot makes some 400. */
const FEW_PAGES = 700;
/** Memory of each thread, MiB. A thread that needs more fails the run. */
const HEAP_MIB = 2048;

/** Pages that may be under way at once, in a thread or on the way to the disk. More than threads, so that none waits for the disk. */
export const PAGES_UNDER_WAY = 3 * THREADS;

/** Threads that render the pages of a release, started when there is work. Each renders one page at a time. There is one until `expect`. */
export class PageThreads implements AsyncDisposable {
  readonly #source: PageSource;
  readonly #threads: PageThread[] = [];
  #most = 1;

  constructor(source: PageSource) {
    this.#source = source;
  }

  /** How many pages are about to be rendered. */
  expect(pages: number): void {
    this.#most = pages > FEW_PAGES ? THREADS : 1;
  }

  /** The page at an address, as `OpenedSite` renders it. Throws site_failed. */
  async render(url: string, given?: Given): Promise<RenderedPage> {
    const reply = await this.#freest().ask({ url, given });
    if (!reply.failed) return reply.page;
    throw new CathedralError('site_failed', { place: url, expected: 'a page', found: reply.message });
  }

  /** The thread with the least to do; a new one rather than one that has something to do. */
  #freest(): PageThread {
    const [freest] = this.#threads.toSorted((one, other) => one.due - other.due);
    if (freest && (freest.due === 0 || this.#threads.length === this.#most)) return freest;
    const started = new PageThread(this.#source);
    this.#threads.push(started);
    return started;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

class PageThread {
  /** Jobs that it has not replied to. */
  due = 0;
  readonly #worker: Worker;
  /** Settles with the reply to the last of them. */
  #last: Promise<unknown> = Promise.resolve();
  #reply: (reply: PageReply) => void = () => {};
  /** Why it can do no more. */
  #ended: PageReply | null = null;

  constructor(source: PageSource) {
    this.#worker = new Worker(moduleUrl('pipeline/build/site/page-thread.ts'), {
      workerData: source,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
      // Nothing of the run's own environment. The program stands in the same place for each run, so it is compiled once.
      env: { NODE_ENV: 'production', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' },
      // What the program prints about an error is in the reply as well.
      stdout: true,
      stderr: true,
    });
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.on('message', (reply: PageReply) => this.#reply(reply));
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#fail(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? `a page that needs more than ${HEAP_MIB} MiB`
          : error.message,
      ),
    );
    this.#worker.on('exit', () => this.#fail('the thread that renders pages has ended'));
  }

  async ask(job: PageJob): Promise<PageReply> {
    this.due += 1;
    const reply = this.#last.then(() => this.#send(job));
    this.#last = reply;
    return reply.finally(() => {
      this.due -= 1;
    });
  }

  #send(job: PageJob): Promise<PageReply> {
    return new Promise((resolve) => {
      this.#reply = resolve;
      if (this.#ended) resolve(this.#ended);
      else this.#worker.postMessage(job);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(message: string): void {
    this.#ended ??= { failed: true, message };
    this.#reply(this.#ended);
  }
}
