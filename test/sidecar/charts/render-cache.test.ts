import { expect, test } from 'vitest';
import { RenderCache } from '../../../src/sidecar/charts/render-cache.ts';

const sized = (name: string, size = 10) => ({ name, size });

test('a value is cached, and concurrent requests share one rendering', async () => {
  const cache = new RenderCache<{ name: string; size: number }>(100);
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

test('the least recently used value goes first', async () => {
  const cache = new RenderCache<{ name: string; size: number }>(30);
  const made: string[] = [];
  const ask = async (name: string) =>
    cache.get(name, async () => {
      made.push(name);
      return sized(name);
    });
  for (const name of ['a', 'b', 'c', 'a', 'd', 'a', 'c', 'b']) await ask(name);
  expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('a value larger than the cache is returned and not kept, and evicts the others', async () => {
  const cache = new RenderCache<{ name: string; size: number }>(30);
  await cache.get('small', async () => sized('small'));
  expect(await cache.get('large', async () => sized('large', 31))).toEqual(sized('large', 31));
  let again = 0;
  for (const name of ['large', 'small']) {
    await cache.get(name, async () => {
      again += 1;
      return sized(name);
    });
  }
  expect(again).toBe(2);
});

test('an error reaches all waiting requests, and is not cached', async () => {
  const cache = new RenderCache<{ name: string; size: number }>(30);
  const fails = async () => {
    throw new Error('no');
  };
  const results = await Promise.allSettled([cache.get('a', fails), cache.get('a', fails)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await cache.get('a', async () => sized('a'))).toEqual(sized('a'));
});
