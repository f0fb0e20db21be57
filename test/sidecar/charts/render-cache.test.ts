import { expect, test } from 'vitest';
import { RenderCache } from '../../../src/sidecar/charts/render-cache.ts';

const sized = (name: string, size = 10) => ({ name, size });

test('what was made is there at once, and made once by however many ask for it meanwhile', async () => {
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

test('the one that was asked for longest ago goes first', async () => {
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

test('what is larger than the cache is given and not kept, and nothing else stays for it', async () => {
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

test('a failure is told to all who wait, and not kept', async () => {
  const cache = new RenderCache<{ name: string; size: number }>(30);
  const fails = async () => {
    throw new Error('no');
  };
  const results = await Promise.allSettled([cache.get('a', fails), cache.get('a', fails)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await cache.get('a', async () => sized('a'))).toEqual(sized('a'));
});
