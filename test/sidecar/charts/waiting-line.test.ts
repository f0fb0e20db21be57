import { expect, test } from 'vitest';
import { WaitingLine } from '../../../src/sidecar/charts/waiting-line.ts';
import { failureOf } from '../../publish/temporary-folder.ts';

test('as many are done at once as may be, others wait in order, and what is more is refused', async () => {
  const line = new WaitingLine({ parallel: 2, waiting: 2 });
  const begun: number[] = [];
  const works = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const runs = works.map(({ promise }, index) =>
    line.run(() => {
      begun.push(index);
      return promise;
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  expect(await failureOf(() => line.run(async () => {}))).toMatchObject({
    code: 'overloaded',
    headers: { 'Retry-After': '5' },
  });
  works[1]!.reject(new Error('failed'));
  await expect(runs[1]).rejects.toThrow('failed');
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of works) resolve();
  await Promise.all(runs.filter((_, index) => index !== 1));
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(await line.run(async () => 'free again')).toBe('free again');
});
