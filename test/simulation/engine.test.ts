import { expect, test } from 'vitest';
import { drawsOf } from '../../src/simulation/draws.ts';

test('draws are those of sfc32', () => {
  // The state after seeding by hand, with the recurrence as PractRand has it, in BigInt.
  const mask = 0xffff_ffffn;
  let [a, b, c, counter] = [7n, 3n, 0x5f3759dfn, 1n];
  const next = () => {
    const sum = (a + b + counter) & mask;
    counter = (counter + 1n) & mask;
    a = b ^ (b >> 9n);
    b = (c + (c << 3n)) & mask;
    c = ((((c << 21n) | (c >> 11n)) & mask) + sum) & mask;
    return sum;
  };
  for (let round = 0; round < 15; round += 1) next();
  const draws = drawsOf(7, 3);
  for (let count = 0; count < 1000; count += 1) expect(draws()).toBe(Number(next()) / 2 ** 32);
});
