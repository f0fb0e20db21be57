import { expect, test } from 'vitest';
import { WorkQueue } from '../../../src/sidecar/charts/renderer.ts';
import { failureOf } from '../../release/temporary-folder.ts';

const OVERLOADED = { code: 'overloaded', headers: { 'Retry-After': '10' } };

/** A queue of works named after their clients, such as `a1`; each lasts until the test ends it. */
function lineOf(options: ConstructorParameters<typeof WorkQueue>[0]) {
  const line = new WorkQueue(options);
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
  return { line, begun, works, run };
}

test('some work is done at once, some waits in order, and more is refused', async () => {
  const { line, begun, works, run } = lineOf({ parallel: 2, waiting: 2 });
  const runs = ['a0', 'a1', 'b2', 'b3'].map(run);
  expect(begun).toEqual(['a0', 'a1']);
  expect(await failureOf(() => run('c4'))).toMatchObject(OVERLOADED);
  works.get('a1')!.reject(new Error('failed'));
  await expect(runs[1]).rejects.toThrow('failed');
  expect(begun).toEqual(['a0', 'a1', 'b2']);
  for (const [at, name] of [
    [0, 'a0'],
    [2, 'b2'],
    [3, 'b3'],
  ] as const) {
    works.get(name)!.resolve();
    await runs[at];
  }
  expect(begun).toEqual(['a0', 'a1', 'b2', 'b3']);
  expect(await line.run('a', async () => 'free again')).toBe('free again');
});

test('one client has a quarter of what may wait, and the others have the rest', async () => {
  const { run } = lineOf({ parallel: 1, waiting: 8 });
  for (const name of ['a0', 'a1', 'a2']) run(name);
  expect(await failureOf(() => run('a3'))).toMatchObject(OVERLOADED);
  for (const name of ['b0', 'b1', 'b2', 'c0', 'c1', 'c2']) run(name);
  expect(await failureOf(() => run('d0'))).toMatchObject(OVERLOADED);
});
