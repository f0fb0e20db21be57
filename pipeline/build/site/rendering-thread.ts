import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../config/project.ts';
import { CathedralError } from '../../errors.ts';
import type { Given, RenderedPage } from './open-program.ts';
import type { PageJob, PageReply, PageSource } from './page-thread.ts';

/** A thread that needs more fails the run. */
const HEAP_MIB = 2048;

/**
 * The thread that renders the pages of a release, one at a time. A second one would hold once more all that pages read, 260 MB
 * for fifty years, and few runs have so many new pages that it would save time.
 */
export class RenderingThread implements AsyncDisposable {
  readonly #worker: Worker;
  /** Settles with the reply to the last job. */
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

  /** The page at an address, as `OpenedSite` renders it. Throws site_failed. */
  async render(url: string, given?: Given): Promise<RenderedPage> {
    const rendering = this.#last.then(() => this.#ask({ url, given }));
    this.#last = rendering;
    const reply = await rendering;
    if (!reply.failed) return reply.page;
    throw new CathedralError('site_failed', { place: url, expected: 'a page', found: reply.message });
  }

  #ask(job: PageJob): Promise<PageReply> {
    return new Promise((resolve) => {
      this.#reply = resolve;
      if (this.#ended) resolve(this.#ended);
      else this.#worker.postMessage(job);
    });
  }

  #fail(message: string): void {
    this.#ended ??= { failed: true, message };
    this.#reply(this.#ended);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
