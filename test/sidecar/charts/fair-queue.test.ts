import { expect, test } from 'vitest';
import { FairQueue } from '../../../src/sidecar/charts/fair-queue.ts';
import { failureOf } from '../../release/temporary-folder.ts';

const OVERLOADED = { code: 'overloaded', headers: { 'Retry-After': '5' } };

/** A queue of works named after their clients, such as `a1`; each lasts until the test ends it. */
function lineOf(options: ConstructorParameters<typeof FairQueue>[0]) {
  const line = new FairQueue(options);
  const begun: string[] = [];
  const works = new Map<string, PromiseWithResolvers<void>>();
  const run = (name: string) => {
    const work = Promise.withResolvers<void>();
    works.set(name, work);
    const running = line.run(name[0]!, () => {
      begun.push(name);
      return work.promise;
    });
    running.catch(() => {});
    return running;
  };
  const end = async (name: string) => {
    works.get(name)!.resolve();
    await new Promise(setImmediate);
  };
  return { line, begun, works, run, end };
}

test('some work is done at once, some waits in order, and more is refused', async () => {
  const { line, begun, works, run, end } = lineOf({ parallel: 2, waiting: 2 });
  const runs = ['a0', 'a1', 'a2', 'a3'].map(run);
  await Promise.resolve();
  expect(begun).toEqual(['a0', 'a1']);
  expect(await failureOf(() => run('a4'))).toMatchObject(OVERLOADED);
  works.get('a1')!.reject(new Error('failed'));
  await expect(runs[1]).rejects.toThrow('failed');
  expect(begun).toEqual(['a0', 'a1', 'a2']);
  for (const name of ['a0', 'a2', 'a3']) await end(name);
  await Promise.all(runs.filter((_, index) => index !== 1));
  expect(begun).toEqual(['a0', 'a1', 'a2', 'a3']);
  expect(await line.run('a', async () => 'free again')).toBe('free again');
});

test('clients take turns, however much each requests', async () => {
  const { begun, run, end } = lineOf({ parallel: 1, waiting: 10 });
  for (const name of ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'c0']) run(name);
  for (const name of ['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3']) await end(name);
  expect(begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3']);
});

test('the client with the most work in a full queue loses its last place to one with less', async () => {
  const { begun, run, end } = lineOf({ parallel: 1, waiting: 4 });
  const runs = ['a0', 'a1', 'a2', 'a3', 'a4'].map(run);
  const others = ['b0', 'b1'].map(run);
  expect(await Promise.all([runs[4], runs[3]].map((one) => failureOf(() => one!)))).toMatchObject([
    OVERLOADED,
    OVERLOADED,
  ]);
  // Both clients have two, so neither loses one.
  expect(await failureOf(() => run('b2'))).toMatchObject(OVERLOADED);
  expect(await failureOf(() => run('a5'))).toMatchObject(OVERLOADED);
  // A third client has none, and gets a place.
  const third = run('c0');
  for (const name of ['a0', 'a1', 'b0', 'c0']) await end(name);
  expect(begun.slice(0, 4)).toEqual(['a0', 'a1', 'b0', 'c0']);
  await Promise.all([third, others[0]]);
});
