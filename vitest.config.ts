import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { FileOrder } from './test/setups/file-order.ts';
import { Summary } from './test/setups/summary.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/bench/**',
      // Installing the package takes a minute: `npm run installed` does that.
      ...(process.env.INSTALLED ? [] : ['test/package/installed.test.ts']),
      // Every case of a kind, where `npm test` has one of each.
      ...(process.env.SWEEP ? [] : ['**/*.sweep.test.ts']),
    ],
    // A process each: tests change the time zone of a child, hold locks and listen on ports.
    pool: 'forks',
    // Not one for each file: that costs time, and a test file that leaves something behind is a fault anyway.
    isolate: false,
    // Node takes the types away itself, as in the service. Vite would transform each file first, which takes a third more CPU time in a
    // clean clone, and no test replaces a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // One more than the cores that there are at least: a fourth of the time a test waits, for a browser, a disk or a clock.
    maxWorkers: 3,
    // Tests of one file that only wait for a process of their own, such as sweeps of faults.
    maxConcurrency: availableParallelism(),
    sequence: { sequencer: FileOrder },
    globalSetup: ['test/setups/run.ts', 'test/setups/checks.ts'],
    setupFiles: ['test/same-examples.ts'],
    runner: 'test/setups/file-runner.ts',
    env: { TZ: 'America/Los_Angeles' },
    // For a browser, nginx and the real binary on a machine with two busy cores; most tests take milliseconds.
    testTimeout: 180_000,
    // A hook may also wait for what another file makes for all, a site for example.
    hookTimeout: 600_000,
    // Without it a poll is given up after a second, which a page on such a machine does not always make.
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', new Summary()],
  },
});
