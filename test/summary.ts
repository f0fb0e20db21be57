import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one line that a machine can read: `812 passed, 0 failed`. */
export class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed').length;
    // A file that could not be loaded has no tests, and must not look like success.
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = tests.filter((test) => test.result().state === 'failed').length + broken + errors.length;
    // After what the reporter before this one prints.
    process.on('exit', () => console.log(`\n${passed} passed, ${failed} failed`));
  }
}
