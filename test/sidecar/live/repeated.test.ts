import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Repeated } from '../../../src/sidecar/live/repeated.ts';
import { until } from './until.ts';

test('a thousand wakes during a run cause one more run, and runs never overlap', async () => {
  let [runs, atOnce, most] = [0, 0, 0];
  const work = async () => {
    runs += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    await sleep(5);
    atOnce -= 1;
  };
  const repeated = new Repeated({ work, pauseMs: () => 1 });
  onTestFinished(() => repeated.close());
  for (let wake = 0; wake < 1000; wake += 1) repeated.wake();
  await until(() => runs === 2 && atOnce === 0);
  await sleep(20);
  expect([runs, most]).toEqual([2, 1]);
  repeated.wake();
  await until(() => runs === 3);
});

test('a wake during the pause is not lost', async () => {
  let runs = 0;
  const work = async () => {
    runs += 1;
  };
  const repeated = new Repeated({ work, pauseMs: () => 20 });
  onTestFinished(() => repeated.close());
  await repeated.wake();
  expect(repeated.wake()).toBeNull();
  expect(runs).toBe(1);
  await until(() => runs === 2);
});

test('closing waits for the current run, and no other starts', async () => {
  let [runs, isRunning] = [0, false];
  const work = async () => {
    runs += 1;
    isRunning = true;
    await sleep(10);
    isRunning = false;
  };
  const repeated = new Repeated({ work, pauseMs: () => 0 });
  repeated.wake();
  repeated.wake();
  await repeated.close();
  expect(isRunning).toBe(false);
  repeated.wake();
  await sleep(5);
  expect(runs).toBe(1);
});

test('a fault is reported once while it stays the same, its end once, and pauses know how often it has failed', async () => {
  const [down, other, busy] = [new Error('down'), new Error('another'), new Error('busy')];
  const outcomes = [null, down, down, other, busy, null, null, down];
  const [reports, failures]: [unknown[], number[]] = [[], []];
  const repeated = new Repeated({
    async work() {
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
    },
    pauseMs: (_, failed) => {
      failures.push(failed);
      return 0;
    },
    isExpected: (error) => error === busy,
    report: (fault) => reports.push(fault),
  });
  onTestFinished(() => repeated.close());
  while (outcomes.length > 0) {
    await repeated.wake();
    await sleep(2);
  }
  expect(reports).toEqual([down, other, null, down]);
  expect(failures).toEqual([0, 1, 2, 3, 4, 0, 0, 1]);
});

test('the first run may have to wait, and never comes where it is closed before', async () => {
  let runs = 0;
  const work = async () => {
    runs += 1;
  };
  const repeated = new Repeated({ work, pauseMs: () => 0, firstMs: 10 });
  expect([repeated.wake(), runs]).toEqual([null, 0]);
  await until(() => runs === 1);
  const closed = new Repeated({ work, pauseMs: () => 0, firstMs: 5 });
  closed.wake();
  await closed.close();
  await sleep(15);
  expect(runs).toBe(1);
});
