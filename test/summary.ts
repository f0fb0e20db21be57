import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one line that a machine can read: `812 passed, 0 failed`. */
export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that could not be loaded has no tests, and must not look like success.
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + errors.length;
    // After what the reporter before this one prints, and after what is done at the end of a run, which may fail, too.
    process.on('exit', (status) => {
      const all = Math.max(failed, status === 0 ? 0 : 1);
      console.log(`\n${count('passed')} passed, ${all} failed`);
    });
  }
}
