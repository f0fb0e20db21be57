import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Coalescer } from '../../../src/sidecar/live/watch-ledger.ts';
import { until } from './until.ts';

test('a thousand wakes during a run cause one more run, and runs never overlap', async () => {
  let [runs, atOnce, most] = [0, 0, 0];
  const coalescer = new Coalescer(async () => {
    runs += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    await sleep(5);
    atOnce -= 1;
    return 1;
  });
  onTestFinished(() => coalescer.close());
  for (let wake = 0; wake < 1000; wake += 1) coalescer.wake();
  await until(() => runs === 2 && atOnce === 0);
  await sleep(20);
  expect([runs, most]).toEqual([2, 1]);
  coalescer.wake();
  await until(() => runs === 3);
});

test('a wake during the pause is not lost', async () => {
  let runs = 0;
  const coalescer = new Coalescer(async () => {
    runs += 1;
    return 20;
  });
  onTestFinished(() => coalescer.close());
  await coalescer.wake();
  expect(coalescer.wake()).toBeNull();
  expect(runs).toBe(1);
  await until(() => runs === 2);
});

test('closing waits for the current run, and no other starts', async () => {
  let [runs, isRunning] = [0, false];
  const coalescer = new Coalescer(async () => {
    runs += 1;
    isRunning = true;
    await sleep(10);
    isRunning = false;
    return 0;
  });
  coalescer.wake();
  coalescer.wake();
  await coalescer.close();
  expect(isRunning).toBe(false);
  coalescer.wake();
  await sleep(5);
  expect(runs).toBe(1);
});
