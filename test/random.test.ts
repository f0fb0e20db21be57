import { expect, test } from 'vitest';
import { Envelope } from '../pipeline/ledger/events/event.ts';
import { Random } from '../pipeline/random.ts';

test('equal names give equal streams, different names different ones', () => {
  const draw = (...name: (string | number)[]) => {
    const random = new Random(...name);
    return Array.from({ length: 5 }, () => random.bits());
  };
  expect(draw(1, 'a')).toEqual(draw(1, 'a'));
  expect(draw(1, 'a')).not.toEqual(draw(1, 'b'));
  expect(draw(1, 'a')).not.toEqual(draw('1', 'a'));
});

test('the stream is the same in every version, because samples depend on it', () => {
  const random = new Random(1, 'golden');
  expect([random.bits(), random.bits(), random.salt()]).toMatchInlineSnapshot(`
    [
      4280772087,
      2686120009,
      "rIKrv-NuKBPt9mOI8EZRKw",
    ]
  `);
});

test('shares are uniform; bells have mean 0 and standard deviation 1', () => {
  const random = new Random('spread');
  const tenths = new Array<number>(10).fill(0);
  let [sum, squares] = [0, 0];
  for (let i = 0; i < 100_000; i += 1) {
    tenths[Math.floor(random.share() * 10)]! += 1;
    const bell = random.bell();
    sum += bell;
    squares += bell * bell;
  }
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(400);
  expect(Math.abs(sum / 100_000)).toBeLessThan(0.02);
  expect(Math.abs(squares / 100_000 - 1)).toBeLessThan(0.02);
});

test('integers reach both bounds, and shuffling keeps every member', () => {
  const random = new Random('whole');
  const seen = new Set(Array.from({ length: 200 }, () => random.whole(2, 5)));
  expect([...seen].sort()).toEqual([2, 3, 4, 5]);
  expect(random.shuffled([1, 2, 3, 4, 5]).sort()).toEqual([1, 2, 3, 4, 5]);
});

test('salts fit the event envelope', () => {
  const random = new Random('salts');
  const salts = Array.from({ length: 2000 }, () => random.salt());
  expect(salts.filter((salt) => !Envelope.shape.salt.safeParse(salt).success)).toEqual([]);
  expect(salts.filter((salt) => Buffer.from(salt, 'base64url').length !== 16)).toEqual([]);
  expect(new Set(salts).size).toBe(2000);
});
