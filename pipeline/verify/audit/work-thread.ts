import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../config/project.ts';

/** Of the memory of a thread, for hashes as text, none of which lasts: the more there is, the more rarely it has to be cleared. */
const YOUNG_MB = 48;

/** A thread replies to its jobs in their order. */
export class WorkThread<Job, Reply> {
  readonly #worker: Worker;
  readonly #pending: PromiseWithResolvers<Reply>[] = [];

  /** `module`: the path of its file in the project. */
  constructor(module: `${string}.ts`, youngMb = YOUNG_MB) {
    const resourceLimits = { maxYoungGenerationSizeMb: youngMb };
    this.#worker = new Worker(moduleUrl(module), { resourceLimits });
    this.#worker.on('message', (reply: Reply) => this.#pending.shift()?.resolve(reply));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread has ended')));
  }

  run(job: Job, transferred: ArrayBuffer[] = []): Promise<Reply> {
    const pending = Promise.withResolvers<Reply>();
    this.#pending.push(pending);
    this.#worker.postMessage(job, transferred);
    return pending.promise;
  }

  end(): void {
    void this.#worker.terminate();
  }

  #fail(error: Error): void {
    for (const pending of this.#pending.splice(0)) pending.reject(error);
  }
}
