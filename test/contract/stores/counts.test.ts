import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { rowsOf } from '../../rows-of.ts';
import { eachEngine, opened, openThree } from './engines.ts';

const DAY_MS = 86_400_000;
/** 2025-12-01T23:59:59.999Z */
const EVENING = Date.UTC(2025, 11, 2) - 1;
const A = { holder: 'h_a' };
const B = { holder: 'h_b' };

/** Takes of one day after the other: of whom, under which limit, and what is left (-: refused). */
const TAKES = rowsOf<[what: string, takes: string]>(`
up to the limit | a 3 2, a 3 1, a 3 0, a 3 -, a 3 -
of each holder apart | a 1 0, b 1 0, a 1 -, b 1 -
under a limit that was lowered, and raised | a 2 1, a 2 0, a 1 -, a 3 0, a 3 -
with no limit left | a 0 -, a 1 0`);

eachEngine('counts', ({ newPlace, everything, isShared }) => {
  test.each(TAKES)('are kept %s', async (_, takes) => {
    const place = await newPlace();
    for (const take of takes.split(', ')) {
      const [who, limit, left] = take.split(' ');
      // Another program each time, as after a restart.
      const stores = await opened(place, { now: () => EVENING });
      const found = await stores.counts.take(who === 'a' ? A : B, Number(limit));
      expect(found).toBe(left === '-' ? null : Number(left));
      await stores.close();
    }
  });

  test('many at once are answered in their order', async () => {
    const { counts } = await opened(await newPlace(), { now: () => EVENING });
    const asked = [A, B, A, B, A, A].map((subject, at) => counts.take(subject, at < 3 ? 2 : 3));
    expect(await Promise.all(asked)).toEqual([1, 1, 0, 1, 0, null]);
  });

  test('begin again at midnight UTC, and those of days before are forgotten an hour later', async () => {
    const clock = { now: EVENING };
    const place = await newPlace();
    const { counts } = await opened(place, { now: () => clock.now });
    expect(await counts.take(A, 1)).toBe(0);
    clock.now += 1;
    expect(await counts.take(A, 2)).toBe(1);
    await counts.prune();
    clock.now -= 1;
    expect(await counts.take(A, 1)).toBe(null);
    clock.now += 3_600_001;
    await counts.prune();
    expect(await counts.take(A, 2)).toBe(0);
    clock.now -= 3_600_001;
    expect(await counts.take(A, 1)).toBe(0);
  });

  test('are those of an area, with the limit of the tier', async () => {
    const { counts } = await opened(await newPlace(), { now: () => EVENING });
    const one = (area: 'economy' | 'academics', tier: 'economist' | 'institutional') =>
      counts.takeOf(area, tier, 'h_a');
    expect(await one('economy', 'economist')).toEqual({
      allowed: true,
      limit: 2000,
      remaining: 1999,
      resetSeconds: 1,
    });
    expect(await one('economy', 'economist')).toMatchObject({ remaining: 1998 });
    expect(await one('academics', 'institutional')).toMatchObject({ limit: 10_000, remaining: 9999 });
    expect(await one('economy', 'institutional')).toMatchObject({
      allowed: true,
      limit: null,
      remaining: null,
    });
    expect([await counts.usedOf('economy', 'h_a'), await counts.usedOf('academics', 'h_a')]).toEqual([2, 1]);
    expect(await counts.usedOf('economy', 'h_b')).toBe(0);
  });

  test('of an address are of its network, by a name that differs each day, and the address is nowhere in the store', async () => {
    const clock = { now: EVENING };
    const place = await newPlace();
    const [one, two] = await openThree(place, { now: () => clock.now });
    expect(await one.counts.take({ address: '2001:db8:77:66:1::1' }, 3)).toBe(2);
    expect(await two.counts.take({ address: '2001:db8:77:66:2::2' }, 3)).toBe(1);
    expect(await two.counts.take({ address: '203.0.113.77' }, 3)).toBe(2);
    expect(await two.counts.take({ address: '203.0.113.78' }, 3)).toBe(2);
    const names = async () => new Set((await everything(place)).match(/network:[\w-]{22}/g));
    const evening = await names();
    expect(evening.size).toBe(3);
    expect(await everything(place)).not.toMatch(/2001:db8|203\.0\.113/);
    clock.now += DAY_MS;
    await one.counts.take({ address: '203.0.113.77' }, 3);
    await one.counts.prune();
    expect([...(await names())].filter((name) => evening.has(name))).toEqual([]);
  });

  test('never exceed a limit, and miss none, where three programs count the same holders at once', async () => {
    const stores = await openThree(await newPlace(), { now: () => EVENING });
    const holders = Array.from({ length: 5 }, (_, at) => ({ holder: `h_${at}` }));
    const left = new Map<string, number[]>();
    const refused = { count: 0 };
    await Promise.all(
      Array.from({ length: 45 }, async (_, round) => {
        for (const subject of round % 2 ? holders : holders.toReversed()) {
          const rest = await stores[round % 3]!.counts.take(subject, 40);
          if (rest === null) refused.count += 1;
          else left.set(subject.holder, [...(left.get(subject.holder) ?? []), rest]);
        }
      }),
    );
    const all = Array.from({ length: 40 }, (_, at) => at);
    for (const { holder } of holders) expect(left.get(holder)!.sort((a, b) => a - b)).toEqual(all);
    expect(refused.count).toBe(25);
    await Promise.all(stores.map(({ counts }) => counts.prune()));
    await Promise.all(stores.map(({ counts }) => counts.check()));
  });

  // In a database, the programs of the test before have connections of their own.
  test.skipIf(isShared)(
    'never exceed a limit, and miss none, where three processes count one holder',
    async () => {
      const place = await newPlace();
      const program = join(import.meta.dirname, 'program-child.ts');
      const run = async (number: string) =>
        (await promisify(execFile)(process.execPath, [program, place, number, '200'])).stdout
          .trim()
          .split('\n');
      const left = (await Promise.all(['1', '2', '3'].map(run))).flat().map((line) => JSON.parse(line));
      const granted = left.filter((rest) => rest !== null).sort((one, other) => one - other);
      expect(granted).toEqual(Array.from({ length: 400 }, (_, at) => at));
      expect(left).toHaveLength(600);
    },
  );
});
