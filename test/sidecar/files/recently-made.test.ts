import { expect, test } from 'vitest';
import { RecentlyMade } from '../../../src/sidecar/files/recently-made.ts';

const sized = (name: string, size = 10) => ({ name, size });

test('a value is cached, and concurrent requests share one rendering', async () => {
  const cache = new RecentlyMade<{ name: string; size: number }>(100);
  const made = Promise.withResolvers<{ name: string; size: number }>();
  let count = 0;
  const make = () => {
    count += 1;
    return made.promise;
  };
  const asked = [cache.get('a', make), cache.get('a', make)];
  made.resolve(sized('a'));
  const [first, second] = await Promise.all(asked);
  expect([count, first, cache.get('a', make)]).toEqual([1, second, first]);
});

test('an error reaches all waiting requests, and is not cached', async () => {
  const cache = new RecentlyMade<{ name: string; size: number }>(30);
  const fails = async () => {
    throw new Error('no');
  };
  const results = await Promise.allSettled([cache.get('a', fails), cache.get('a', fails)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await cache.get('a', async () => sized('a'))).toEqual(sized('a'));
});

test('the least recently used goes first', async () => {
  const cache = new RecentlyMade<{ name: string; size: number }>(30);
  const made: string[] = [];
  const ask = async (...names: string[]) => {
    for (const name of names)
      await cache.get(name, async () => {
        made.push(name);
        return sized(name);
      });
  };
  await ask('a', 'b', 'c', 'a', 'd');
  // b went.
  await ask('a', 'c', 'd');
  expect(made).toEqual(['a', 'b', 'c', 'd']);
});

test('a value that is larger than the whole cache is made each time, and is not kept', async () => {
  const cache = new RecentlyMade<{ name: string; size: number }>(30);
  let count = 0;
  const make = async () => {
    count += 1;
    return sized('large', 31);
  };
  await cache.get('large', make);
  await cache.get('large', make);
  expect(count).toBe(2);
});
