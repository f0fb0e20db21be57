import { expect, onTestFinished, test } from 'vitest';
import type { CountRequest, CountStore } from '../../../src/sidecar/limits/count-store.ts';

const DAY = '2025-12-01';
const NEXT_DAY = '2025-12-02';

function take(changes: Partial<CountRequest> = {}): CountRequest {
  return { day: DAY, area: 'economy', subject: 'holder:a', limit: 100, ...changes };
}

/** What every store of counts must do. `openAll` gives three for one empty storage, as three programs have. */
export function testCountStore(openAll: () => Promise<readonly CountStore[]>): void {
  const openThree = async () => {
    const stores = await openAll();
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    return stores;
  };
  const opened = async () => (await openThree())[0]!;

  test('numbers the requests of a subject from 1 and stops at the limit', async () => {
    const store = await opened();
    const takes = Array.from({ length: 4 }, () => take({ limit: 3 }));
    expect(await store.takeAll(takes)).toEqual([1, 2, 3, null]);
    expect(await store.takeAll([take({ limit: 3 })])).toEqual([null]);
    expect(await store.count(DAY, 'economy', 'holder:a')).toBe(3);
  });

  test('counts days, areas and subjects apart', async () => {
    const store = await opened();
    const takes = [
      take(),
      take({ day: NEXT_DAY }),
      take({ area: 'academics' }),
      take({ subject: 'holder:b' }),
    ];
    expect(await store.takeAll(takes)).toEqual([1, 1, 1, 1]);
    expect(await store.takeAll(takes)).toEqual([2, 2, 2, 2]);
  });

  test('answers each request of a batch in its order, whatever is mixed in', async () => {
    const store = await opened();
    const [a, b] = [take({ limit: 2 }), take({ subject: 'holder:b', limit: 1 })];
    expect(await store.takeAll([a, b, a, b, a, take({ limit: 3 })])).toEqual([1, 1, 2, null, null, 3]);
  });

  test('keeps a count when the limit becomes lower or higher during the day', async () => {
    const store = await opened();
    await store.takeAll([take(), take(), take()]);
    expect(await store.takeAll([take({ limit: 2 })])).toEqual([null]);
    expect(await store.count(DAY, 'economy', 'holder:a')).toBe(3);
    expect(await store.takeAll([take({ limit: 4 }), take({ limit: 4 })])).toEqual([4, null]);
  });

  test('takes an empty batch', async () => {
    expect(await (await opened()).takeAll([])).toEqual([]);
  });

  test('knows nothing of who was never counted', async () => {
    expect(await (await opened()).count(DAY, 'economy', 'holder:a')).toBe(0);
  });

  test('gives everybody the secret that was offered first, per day', async () => {
    const store = await opened();
    const [first, second] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)];
    expect([...(await store.secret(DAY, first))]).toEqual([1, 2, 3]);
    expect([...(await store.secret(DAY, second))]).toEqual([1, 2, 3]);
    expect([...(await store.secret(NEXT_DAY, second))]).toEqual([4, 5, 6]);
  });

  test('forgets the days before a day, and only those', async () => {
    const store = await opened();
    // More than is removed at a time.
    await store.takeAll(Array.from({ length: 1_200 }, (_, index) => take({ subject: `holder:${index}` })));
    await store.takeAll([take({ day: NEXT_DAY })]);
    await store.secret(DAY, Uint8Array.of(1));
    await store.secret(NEXT_DAY, Uint8Array.of(2));
    await store.prune(NEXT_DAY);
    expect(await store.takeAll([take({ subject: 'holder:7' }), take({ day: NEXT_DAY })])).toEqual([1, 2]);
    expect([...(await store.secret(DAY, Uint8Array.of(3)))]).toEqual([3]);
    expect([...(await store.secret(NEXT_DAY, Uint8Array.of(3)))]).toEqual([2]);
  });

  test('counts exactly when many batches are under way at once', async () => {
    const store = await opened();
    const batches = Array.from({ length: 60 }, () =>
      store.takeAll(Array.from({ length: 5 }, () => take({ limit: 250 }))),
    );
    const numbers = (await Promise.all(batches)).flat().filter((n) => n !== null);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
  });

  test('never exceeds a limit when three programs count the same subjects', async () => {
    const stores = await openThree();
    const subjects = Array.from({ length: 8 }, (_, index) => `holder:${index}`);
    const batches = Array.from({ length: 51 }, (_, index) => {
      const ordered = index % 2 === 0 ? subjects : subjects.toReversed();
      return stores[index % 3]!.takeAll(ordered.map((subject) => take({ subject, limit: 40 })));
    });
    const results = await Promise.all(batches);
    for (const at of subjects.keys()) {
      const numbers = results.map((batch, index) => batch[index % 2 === 0 ? at : subjects.length - 1 - at]!);
      const given = numbers.filter((n) => n !== null).toSorted((a, b) => a - b);
      expect(given).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    }
    expect(await stores[1]!.count(DAY, 'economy', 'holder:3')).toBe(40);
  });

  test('gives three programs that begin a day together one secret', async () => {
    const stores = await openThree();
    const secrets = await Promise.all(stores.map((store, at) => store.secret(DAY, Uint8Array.of(at))));
    expect(new Set(secrets.map((secret) => secret[0])).size).toBe(1);
    await Promise.all(stores.map((store) => store.prune(NEXT_DAY)));
    await Promise.all(stores.map((store) => store.check()));
  });
}
