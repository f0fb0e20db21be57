import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { TickTimer } from '../../../src/sidecar/simulation/tick-timer.ts';

const now = () => performance.now();

/** Writes down when it is called. */
function heard() {
  const at: number[] = [];
  return { at, ring: (time: number) => void at.push(time) };
}

describe('a tick timer', () => {
  test('calls each once, on the first beat after it is due, and never before', async () => {
    const tickTimer = new TickTimer(now);
    const dues = Array.from({ length: 50 }, (_, place) => now() + 3 * place);
    const all = dues.map((due) => ({ due, ...heard() }));
    for (const one of all) tickTimer.add(one.due, one);
    await expect.poll(() => all.every(({ at }) => at.length > 0)).toBe(true);
    await sleep(50);
    for (const { at, due } of all) {
      expect(at).toHaveLength(1);
      expect(at[0]).toBeGreaterThanOrEqual(due);
    }
    // One moment for all of a beat.
    expect(new Set(all.map(({ at }) => at[0])).size).toBeLessThanOrEqual(8);
  });

  test('calls what was due long ago on the next beat', async () => {
    const late = heard();
    new TickTimer(now).add(now() - 5000, late);
    await expect.poll(() => late.at).toHaveLength(1);
  });

  test('calls nobody who was taken off, the others of that beat still', async () => {
    const tickTimer = new TickTimer(now);
    const [one, other] = [heard(), heard()];
    const due = now() + 20;
    tickTimer.remove(tickTimer.add(due, one), one);
    tickTimer.add(due, other);
    await expect.poll(() => other.at).toHaveLength(1);
    expect(one.at).toEqual([]);
    tickTimer.remove(0, one);
  });

  test('takes who is called on again, for a later beat', async () => {
    const tickTimer = new TickTimer(now);
    let times = 0;
    const again = {
      ring(at: number) {
        times += 1;
        if (times < 3) tickTimer.add(at + 1, again);
      },
    };
    tickTimer.add(now(), again);
    await expect.poll(() => times).toBe(3);
  });
});
