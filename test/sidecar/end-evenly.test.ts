import { expect, test } from 'vitest';
import { endEvenly } from '../../src/sidecar/end-evenly.ts';

/** How many of a hundred have ended after each step of the clock. */
async function courseOf(overMs: number, leaveAt: (now: number) => number = () => 0): Promise<number[]> {
  let now = 5000;
  const members = new Set(Array.from({ length: 100 }, (_, index) => index));
  const course: number[] = [];
  let ended = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      course.push(ended);
      now += ms;
      for (const member of [...members].slice(0, leaveAt(now - 5000))) members.delete(member);
    },
  };
  const end = (member: number) => {
    expect(members.delete(member)).toBe(true);
    ended += 1;
  };
  await endEvenly(members, overMs, end, clock);
  expect(members.size).toBe(0);
  return [...course, ended];
}

test('members end evenly over the time', async () => {
  const course = await courseOf(1000);
  expect(course).toHaveLength(21);
  expect(course).toEqual(course.map((_, step) => step * 5));
});

test('without a time all end at once', async () => {
  expect(await courseOf(0)).toEqual([100]);
});

test('nobody waits for members that have left', async () => {
  expect(await courseOf(1000, (now) => (now === 100 ? 1000 : 0))).toHaveLength(3);
});
