import { setTimeout as sleep } from 'node:timers/promises';
import { runFeeder } from '../../pipeline/sample/feeder/run-feeder.ts';

/** A feeder on a clock that starts at a given time and runs a thousand times as fast as real time. Prints a line once it runs. */
const [, , ledger = '', from = ''] = process.argv;
const started = performance.now();
const now = () => Date.parse(from) + (performance.now() - started) * 1000;
const signal = new AbortController().signal;
let isRunning = false;

await runFeeder({
  ledger,
  now,
  async sleep(ms) {
    if (!isRunning) process.stdout.write('running\n');
    isRunning = true;
    await sleep(ms / 1000);
  },
  signal,
  pace: [2000, 9000],
});
