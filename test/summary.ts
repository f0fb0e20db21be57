import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Names the files with skipped tests, and ends the output with one line that a machine can read: `812 passed, 0 failed`. */
export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that could not be loaded has no tests, and must not look like success.
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const skipped = modules
      .map(
        (module) =>
          [relative('.', module.moduleId), [...module.children.allTests('skipped')].length] as const,
      )
      .filter(([, number]) => number > 0)
      .map(([file, number]) => `  ${number} of ${file}`);
    const failed = count('failed') + broken + errors.length;
    // After what the reporter before this one prints, and after what is done at the end of a run, which may fail, too.
    process.on('exit', (status) => {
      const all = Math.max(failed, status === 0 ? 0 : 1);
      if (skipped.length > 0)
        console.log(`\nskipped on this machine, for want of what they need:\n${skipped.join('\n')}`);
      console.log(`\n${count('passed')} passed, ${all} failed`);
    });
  }
}
