import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type RunnerTestSuite, TestRunner } from 'vitest';
import { cpuMs } from './cpu-time.ts';
import { type Belongings, belongings, leftSince, putBack } from './leftovers.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file: CPU time of the worker and of the processes that it waited for, ms. */
    cpuMs?: number;
    /** Of a file: what it left behind. */
    left?: string[];
  }
}

/** Fails a test file that leaves something behind, and measures its CPU time. */
export default class FileRunner extends TestRunner {
  #before: Belongings | undefined;
  #cpuBefore = 0;

  onBeforeCollect(): void {
    // What a worker finds there is its own.
    const own = `worker-${process.env.VITEST_POOL_ID}`;
    if (basename(tmpdir()) !== own) process.env.TMPDIR = join(tmpdir(), own);
    mkdirSync(tmpdir(), { recursive: true });
    this.#before = belongings();
    this.#cpuBefore = cpuMs();
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (suite.file !== suite || !this.#before) return;
    const left = await leftSince(this.#before);
    suite.meta.cpuMs = cpuMs() - this.#cpuBefore;
    if (left.length === 0) return;
    putBack(this.#before);
    suite.meta.left = left;
    const message = `The file leaves behind: ${left.join(', ')}`;
    suite.result = { ...suite.result!, state: 'fail', errors: [{ name: 'Error', message, stacks: [] }] };
  }
}
