import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../../src/sidecar/limits/concurrency-limit.ts';
import { messageOf } from '../../fault-of.ts';

const [PARALLEL, PER_HOLDER] = [3, 2];

test('each holder gets as many slots as one may have, and all together as many as there are', () => {
  const holder = fc.constantFrom('a', 'b');
  // A number releases the slot that was taken that many takes ago, which may be released already.
  const steps = fc.array(fc.oneof(holder, fc.nat(3)), { maxLength: 40 });
  const check = fc.property(steps, (all) => {
    const limit = new ConcurrencyLimit({ what: 'x', parallel: PARALLEL, perHolder: PER_HOLDER });
    const taken: { by: string; release: () => void; isOver: boolean }[] = [];
    for (const step of all) {
      if (typeof step === 'number') {
        const slot = taken.at(-1 - step);
        slot?.release();
        if (slot) slot.isOver = true;
        continue;
      }
      const held = taken.filter(({ isOver }) => !isOver);
      const isFree = held.length < PARALLEL && held.filter(({ by }) => by === step).length < PER_HOLDER;
      const said = messageOf(() => taken.push({ by: step, release: limit.take(step), isOver: false }));
      expect(said === 'accepted').toBe(isFree);
    }
  });
  fc.assert(check, { numRuns: 300 });
});

test('who gets no slot is told how many are taken, and by whom', () => {
  const limit = new ConcurrencyLimit({ what: 'files are being sent', parallel: 2, perHolder: 1 });
  limit.take('a');
  expect(messageOf(() => limit.take('a'))).toContain(
    '1 files are being sent for this client, which is the maximum',
  );
  limit.take('b');
  expect(messageOf(() => limit.take('c'))).toContain('2 files are being sent, which is the maximum');
});
