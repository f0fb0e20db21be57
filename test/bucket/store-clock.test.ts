import { expect, test } from 'vitest';
import { StoreClock } from '../../pipeline/bucket/store-clock.ts';

/** Answers of a store whose clock is ahead by `ahead` ms, each `tookMs` after its request; `times` of this machine, ms. */
function askedAt(times: readonly number[], { ahead, tookMs }: { ahead: number; tookMs: number }): StoreClock {
  const clock = new StoreClock();
  for (const sent of times) {
    const date = Math.floor((sent + tookMs / 2 + ahead) / 1000) * 1000;
    clock.add(date, sent, sent + tookMs);
  }
  return clock;
}
const every = (ms: number, count: number) => Array.from({ length: count }, (_, at) => 1_000_000 + at * ms);

test('the clock of a store is known within a second and the time of its answer after one look', () => {
  expect(new StoreClock().offset()).toBe(0);
  for (const ahead of [-3_600_250, -1, 0, 777, 3_600_000]) {
    const offset = askedAt([1_000_000], { ahead, tookMs: 200 }).offset();
    expect(Math.abs(offset - ahead)).toBeLessThanOrEqual(600);
  }
});

test('and within milliseconds after some, although it tells whole seconds', () => {
  for (const ahead of [-3_600_250, -1, 0, 777, 3_600_000]) {
    const offset = askedAt(every(2017, 60), { ahead, tookMs: 10 }).offset();
    expect(Math.abs(offset - ahead)).toBeLessThanOrEqual(20);
  }
});

test('a clock that was set meanwhile is learnt anew', () => {
  const clock = askedAt(every(2013, 60), { ahead: 0, tookMs: 10 });
  clock.add(9_000_000, 1_200_000, 1_200_010);
  expect(Math.abs(clock.offset() - 7_800_000)).toBeLessThanOrEqual(505);
});
