import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CountStore } from '../../../src/sidecar/limits/count-store.ts';
import { createLimiter, type QuotaRequest } from '../../../src/sidecar/limits/limiter.ts';
import { openSqliteCountStore } from '../../../src/sidecar/limits/sqlite-count-store.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { memoryCountStore } from './memory-count-store.ts';

const NOON = Date.parse('2025-12-01T12:00:00Z');
const HOUR_MS = 3_600_000;

function limiterOn(store: CountStore = memoryCountStore()) {
  return createLimiter({ store, random: (bytes) => Buffer.alloc(bytes, 7) });
}

function request(changes: Partial<QuotaRequest> = {}): QuotaRequest {
  return { area: 'economy', tier: 'anonymous', subject: { address: '203.0.113.7' }, now: NOON, ...changes };
}

describe('a limiter', () => {
  test('answers 100 requests of an address and no more', async () => {
    const limiter = limiterOn();
    const all = await Promise.all(Array.from({ length: 150 }, () => limiter.take(request())));
    expect(all.filter(({ allowed }) => allowed)).toHaveLength(100);
    expect(all[0]).toEqual({ allowed: true, limit: 100, remaining: 99, resetSeconds: 43_200 });
    expect(all[149]).toEqual({ allowed: false, limit: 100, remaining: 0, resetSeconds: 43_200 });
    expect(await limiter.used(request())).toBe(100);
  });

  test('does not take a holder for an address of the same name', async () => {
    const limiter = limiterOn();
    await limiter.take(request());
    const holder = { holder: '203.0.113.7' };
    expect(await limiter.used(request({ subject: holder }))).toBe(0);
  });

  test('neither counts nor refuses where there is no limit', async () => {
    const limiter = limiterOn();
    const keyed = request({ area: 'government', tier: 'government', subject: { holder: 'h-1' } });
    const none = { allowed: true, limit: null, remaining: null, resetSeconds: 43_200 };
    for (let count = 0; count < 200; count += 1) expect(await limiter.take(keyed)).toEqual(none);
    expect(await limiter.used(keyed)).toBe(0);
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

  test('gives everybody the whole limit again, and not a millisecond earlier', async () => {
    const limiter = limiterOn();
    const take = (now: number) => limiter.take(request({ now }));
    for (let count = 0; count < 100; count += 1) await take(MIDNIGHT - HOUR_MS);
    expect(await take(MIDNIGHT - 1)).toMatchObject({ allowed: false, resetSeconds: 1 });
    expect(await take(MIDNIGHT)).toEqual({ allowed: true, limit: 100, remaining: 99, resetSeconds: 86_400 });
  });

  test('counts each request on its own day where both sides are in one batch', async () => {
    const limiter = limiterOn();
    const times = Array.from({ length: 200 }, (_, index) => MIDNIGHT + (index % 2 ? 1 : -1));
    const all = await Promise.all(times.map((now) => limiter.take(request({ now }))));
    expect(all.every(({ allowed }) => allowed)).toBe(true);
    expect((await limiter.take(request({ now: MIDNIGHT - 1 }))).allowed).toBe(false);
    expect((await limiter.take(request({ now: MIDNIGHT + 1 }))).allowed).toBe(false);
  });

  test('gives nobody a second limit when the clock goes back over it, also after the daily removal', async () => {
    const limiter = limiterOn();
    for (let count = 0; count < 100; count += 1) await limiter.take(request({ now: MIDNIGHT - 2_000 }));
    await limiter.take(request({ now: MIDNIGHT + 1_000 }));
    await limiter.prune(MIDNIGHT + HOUR_MS - 1);
    expect((await limiter.take(request({ now: MIDNIGHT - 1_000 }))).allowed).toBe(false);
    expect((await limiter.take(request({ now: MIDNIGHT + 2_000 }))).remaining).toBe(98);
  });

  test('is followed by the removal of the day that ended, an hour later', async () => {
    const path = join(await temporaryFolder(), 'limits.db');
    const limiter = limiterOn(openSqliteCountStore(path));
    onTestFinished(() => limiter.close());
    await limiter.take(request({ now: MIDNIGHT - 1 }));
    await limiter.take(request({ now: MIDNIGHT + 1 }));
    const days = () => {
      const database = new DatabaseSync(path, { readOnly: true });
      const tables = ['counts', 'secrets'].map((table) => database.prepare(`SELECT day FROM ${table}`).all());
      database.close();
      return tables.flat().map(({ day }) => day);
    };
    const both = ['2025-12-01', '2025-12-02'];
    expect(days()).toEqual([...both, ...both]);
    await limiter.prune(MIDNIGHT + HOUR_MS - 1);
    expect(days()).toEqual([...both, ...both]);
    await limiter.prune(MIDNIGHT + HOUR_MS);
    expect(days()).toEqual(['2025-12-02', '2025-12-02']);
  });
});

describe('an address in the store', () => {
  async function subjects(random: (bytes: number) => Uint8Array, now: number): Promise<unknown[]> {
    const path = join(await temporaryFolder(), 'limits.db');
    const limiter = createLimiter({ store: openSqliteCountStore(path), random });
    await limiter.take(request({ now }));
    await limiter.close();
    const database = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => database.close());
    return database
      .prepare('SELECT subject FROM counts')
      .all()
      .map(({ subject }) => subject);
  }

  test('is a keyed hash: another one under another secret', async () => {
    const [one] = await subjects((bytes) => Buffer.alloc(bytes, 1), NOON);
    const [other] = await subjects((bytes) => Buffer.alloc(bytes, 2), NOON);
    expect(one).toMatch(/^network:[\w-]{22}$/);
    expect(other).toMatch(/^network:[\w-]{22}$/);
    expect(other).not.toBe(one);
  });

  test('is counted on by another server with the same file, whatever secret that one would have chosen', async () => {
    const path = join(await temporaryFolder(), 'limits.db');
    const [first, second] = [1, 2].map((fill) =>
      createLimiter({ store: openSqliteCountStore(path), random: (bytes) => Buffer.alloc(bytes, fill) }),
    ) as [ReturnType<typeof createLimiter>, ReturnType<typeof createLimiter>];
    onTestFinished(async () => {
      await first.close();
      await second.close();
    });
    expect((await first.take(request())).remaining).toBe(99);
    expect((await second.take(request())).remaining).toBe(98);
  });
});

test('counts that were lost begin anew, and two servers still count as one', async () => {
  const path = join(await temporaryFolder(), 'limits.db');
  const open = (fill: number) => {
    const store = openSqliteCountStore(path, { onReplaced: () => limiter.forget() });
    const limiter = createLimiter({ store, random: (bytes) => Buffer.alloc(bytes, fill) });
    onTestFinished(() => limiter.close());
    return limiter;
  };
  const [first, second] = [open(1), open(2)];
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
  const failing: CountStore = {
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
