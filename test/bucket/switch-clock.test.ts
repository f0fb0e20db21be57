import { expect, test } from 'vitest';
import { SwitchClock } from '../../pipeline/bucket/switch-clock.ts';

/** At 1,000,000 ms since 1970, with a cluster that is 500 ms ahead. */
function clockAt() {
  const time = { wall: 1_000_000, monotonic: 0 };
  const pass = (ms: number, wall = ms) => {
    time.monotonic += ms;
    time.wall += wall;
  };
  const clocks = { now: () => time.wall, monotonic: () => time.monotonic, offset: () => 500 };
  const clock = new SwitchClock(clocks);
  clock.tick();
  return { clock, pass };
}

test('a replica is certain for two seconds after a sign that it runs, and until shortly before a switch', () => {
  const { clock, pass } = clockAt();
  expect(clock.certainUntil).toBe(2000);
  clock.plan(1_001_500);
  expect([clock.left, clock.certainUntil, clock.isAnnounced, clock.isDue]).toEqual([1000, 975, true, false]);
  pass(1000);
  expect([clock.isDue, clock.idle(2000)]).toEqual([true, 0]);
  clock.hasSwitched();
  expect([clock.isDue, clock.certainUntil, clock.idle(2000)]).toEqual([false, 2000, 2000]);
});

test('a switch is announced five seconds before, and not by a replica where it has failed', () => {
  const { clock, pass } = clockAt();
  clock.plan(1_000_500 + 6000);
  expect(clock.isAnnounced).toBe(false);
  pass(1000);
  expect(clock.isAnnounced).toBe(true);
  pass(5000);
  clock.tick();
  clock.hasFailed();
  // The old release is served until it is tried again.
  expect([clock.isAnnounced, clock.isDue, clock.idle(9000), clock.certainUntil]).toEqual([
    false,
    true,
    2000,
    8000,
  ]);
  clock.plan(1_000_500 + 7000);
  expect(clock.isAnnounced).toBe(true);
});

test.each([
  ['on both clocks', 2000, 2000],
  ['on the clock that goes on while a machine is suspended', 0, 2000],
  ['on the one that is not set', 2000, 0],
])('two seconds without a sign %s are a pause', (_, monotonic, wall) => {
  const { clock, pass } = clockAt();
  pass(1999, 1999);
  expect(clock.hasPaused).toBe(false);
  clock.tick();
  pass(monotonic, wall);
  expect(clock.hasPaused).toBe(true);
  clock.tick();
  expect(clock.hasPaused).toBe(false);
});
