import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Metronome } from '../../../src/sidecar/simulation/metronome.ts';

const now = () => performance.now();

/** Writes down when it is called. */
function heard() {
  const at: number[] = [];
  return { at, ring: (time: number) => void at.push(time) };
}

describe('a metronome', () => {
  test('calls each once, on the first beat after it is due, and never before', async () => {
    const metronome = new Metronome(now);
    const dues = Array.from({ length: 50 }, (_, place) => now() + 3 * place);
    const all = dues.map((due) => ({ due, ...heard() }));
    for (const one of all) metronome.add(one.due, one);
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
    new Metronome(now).add(now() - 5000, late);
    await expect.poll(() => late.at).toHaveLength(1);
  });

  test('calls nobody who was taken off, the others of that beat still', async () => {
    const metronome = new Metronome(now);
    const [one, other] = [heard(), heard()];
    const due = now() + 20;
    metronome.remove(metronome.add(due, one), one);
    metronome.add(due, other);
    await expect.poll(() => other.at).toHaveLength(1);
    expect(one.at).toEqual([]);
    metronome.remove(0, one);
  });

  test('takes who is called on again, for a later beat', async () => {
    const metronome = new Metronome(now);
    let times = 0;
    const again = {
      ring(at: number) {
        times += 1;
        if (times < 3) metronome.add(at + 1, again);
      },
    };
    metronome.add(now(), again);
    await expect.poll(() => times).toBe(3);
  });
});
