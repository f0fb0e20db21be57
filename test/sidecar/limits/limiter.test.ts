import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Counts } from '../../../src/sidecar/limits/count-store.ts';
import { openCountStore } from '../../../src/sidecar/limits/count-store.ts';
import { createLimiter, type Limiter, type QuotaRequest } from '../../../src/sidecar/limits/limiter.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { memoryCountStore } from './memory-count-store.ts';

const NOON = Date.parse('2025-12-01T12:00:00Z');

function limiterOn(store: Counts = memoryCountStore()) {
  return createLimiter({ store, random: (bytes) => Buffer.alloc(bytes, 7) });
}

function request(changes: Partial<QuotaRequest> = {}): QuotaRequest {
  return { area: 'economy', tier: 'anonymous', subject: { address: '203.0.113.7' }, now: NOON, ...changes };
}

describe('a limiter', () => {
  test('does not take a holder for an address of the same name', async () => {
    const limiter = limiterOn();
    await limiter.take(request());
    const holder = { holder: '203.0.113.7' };
    expect(await limiter.used(request({ subject: holder }))).toBe(0);
  });

  test('refuses what is no address and a tier that the area does not have', async () => {
    const limiter = limiterOn();
    expect(await failureOf(() => limiter.take(request({ subject: { address: 'unknown' } })))).toBeInstanceOf(
      RangeError,
    );
    expect(await failureOf(() => limiter.take(request({ tier: 'academic' })))).toBeInstanceOf(RangeError);
  });
});

describe('midnight in UTC', () => {
  const MIDNIGHT = Date.parse('2025-12-02T00:00:00Z');

  test('counts each request on its own day where both sides are in one batch', async () => {
    const limiter = limiterOn();
    const times = Array.from({ length: 200 }, (_, index) => MIDNIGHT + (index % 2 ? 1 : -1));
    const all = await Promise.all(times.map((now) => limiter.take(request({ now }))));
    expect(all.every(({ allowed }) => allowed)).toBe(true);
    expect((await limiter.take(request({ now: MIDNIGHT - 1 }))).allowed).toBe(false);
    expect((await limiter.take(request({ now: MIDNIGHT + 1 }))).allowed).toBe(false);
  });
});

test('counts that were lost begin anew, and two servers still count as one', async () => {
  const path = join(await temporaryFolder(), 'limits.db');
  const open = async (fill: number) => {
    const store = await openCountStore(path, { onReplaced: () => limiter.forget() });
    const limiter: Limiter = createLimiter({ store, random: (bytes) => Buffer.alloc(bytes, fill) });
    onTestFinished(() => limiter.close());
    return limiter;
  };
  const [first, second] = [await open(1), await open(2)];
  await first.take(request());
  await second.take(request());
  rmSync(path);
  await second.check();
  await first.check();
  expect((await first.take(request())).remaining).toBe(99);
  expect((await second.take(request())).remaining).toBe(98);
});

test('a store that fails once is asked again', async () => {
  const store = memoryCountStore();
  let isBroken = true;
  const failing: Counts = {
    ...store,
    secret: (day, candidate) =>
      isBroken ? Promise.reject(new Error('no disk')) : store.secret(day, candidate),
    takeAll: (takes) => (isBroken ? Promise.reject(new Error('no disk')) : store.takeAll(takes)),
  };
  const limiter = limiterOn(failing);
  const keyed = request({ tier: 'economist', subject: { holder: 'h-1' } });
  expect(await failureOf(() => limiter.take(request()))).toMatchObject({ message: 'no disk' });
  expect(await failureOf(() => limiter.take(keyed))).toMatchObject({ message: 'no disk' });
  isBroken = false;
  expect((await limiter.take(request())).remaining).toBe(99);
  expect((await limiter.take(keyed)).remaining).toBe(1_999);
});
