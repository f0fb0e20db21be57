import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failureOf } from '../../release/temporary-folder.ts';
import { eachEngine, opened, openThree } from './engines.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
/** 2025-07-03T05:00:10Z, the time of a release of ten events: what its version follows from. */
const TEN = 1_751_518_810;
const refused = { code: 'release_refused' };

/** What was signed, and then is to be signed: so many events of a history, with a content; and the version, or null: it is refused. */
type Release = [events: number, history?: 'a' | 'b', content?: string];
const FOLLOWS: readonly [what: string, before: Release, next: Release, version: number | null][] = [
  ['the same release', [10], [10], TEN],
  ['other content of the same events', [10], [10, 'a', '1'], TEN + 1],
  ['more events', [10], [12], TEN + 2],
  ['fewer events', [10], [9], null],
  ['as many events of another history', [10], [10, 'b'], null],
];

eachEngine('a signing record', ({ newPlace, isShared }) => {
  test.each(FOLLOWS)('of a release, then %s: %j, %j', async (_, before, next, version) => {
    const place = await newPlace();
    const [one, two] = await openThree(place, { now: () => NOW });
    await one.hold({ waitMs: 0 }, async (lease) => {
      const first = await one.publisher(lease).sign(...before);
      expect(first.version).toBe(TEN);
      expect((await two.publisher(lease).last())!.sha256).toBe(first.sha256);
    });
    await two.hold({ waitMs: 0 }, async (lease) => {
      const { sign, last } = two.publisher(lease);
      if (version === null) expect(await failureOf(() => sign(...next))).toMatchObject(refused);
      else expect((await sign(...next)).version).toBe(version);
      expect((await last())!.version).toBe(version ?? TEN);
    });
  });

  test('is written before the signature: of two histories at once, one is signed', async () => {
    const [one, two] = await openThree(await newPlace(), { now: () => NOW });
    await one.hold({ waitMs: 0 }, async (lease) => {
      const ends = await Promise.allSettled([
        one.publisher(lease).sign(10, 'a'),
        two.publisher(lease).sign(10, 'b'),
      ]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const signed = ends.find((end) => end.status === 'fulfilled')!.value;
      expect((await one.publisher(lease).last())!.sha256).toBe(signed.sha256);
    });
  });

  test('gives each of many releases at once a version of its own', async () => {
    const stores = await openThree(await newPlace(), { now: () => NOW });
    await stores[0].hold({ waitMs: 0 }, async (lease) => {
      const ends = await Promise.all(
        Array.from({ length: 9 }, (_, at) => stores[at % 3]!.publisher(lease).sign(10, 'a', `${at}`)),
      );
      expect(ends.map(({ version }) => version).sort()).toEqual(
        Array.from({ length: 9 }, (_, at) => TEN + at),
      );
      expect((await stores[0].publisher(lease).last())!.version).toBe(TEN + 8);
    });
  });

  test('keeps the hashes of listed snapshots through the next signature', async () => {
    const stores = await opened(await newPlace(), { now: () => NOW });
    await stores.hold({ waitMs: 0 }, async (lease) => {
      const { sign, list, last } = stores.publisher(lease);
      await list({ '2025-07-03T00Z': '1'.repeat(64) });
      expect(await last()).toBeNull();
      await sign(10);
      const snapshots = { '2025-07-03T06Z': '0'.repeat(64) };
      await list(snapshots);
      await sign(12);
      expect(await last()).toMatchObject({ snapshots, version: TEN + 2, ledger: { size: 12 } });
    });
  });

  test('knows one folder that publishes: a second one is refused as long as the first one has a release', async () => {
    // In a database the bucket is one for all.
    if (isShared) return;
    const place = await newPlace();
    const { mkdir, symlink } = await import('node:fs/promises');
    const [first, second] = [join(place, 'first'), join(place, 'second')];
    for (const folder of [first, second])
      await mkdir(join(folder, 'releases', '2025-07-03T06Z-00000000'), { recursive: true });
    await symlink('releases/2025-07-03T06Z-00000000', join(first, 'current'));
    const stores = await opened(place, { now: () => NOW });
    await stores.publisher(null, first).sign(10);
    expect(await failureOf(() => stores.publisher(null, second).sign(11))).toMatchObject(refused);
    expect((await stores.publisher(null, first).sign(11)).version).toBe(TEN + 1);
  });
});

eachEngine('the right to publish', ({ newPlace, isShared }) => {
  test('has one holder at a time, and each gets it', async () => {
    const stores = await openThree(await newPlace());
    let holders = 0;
    const held: (number | undefined)[] = [];
    const counted = { count: 0 };
    await Promise.all(
      stores.map(({ hold, counts }) =>
        hold({ waitMs: 120_000 }, async (lease) => {
          holders += 1;
          // Something that takes a while.
          await counts.check();
          expect(holders).toBe(1);
          held.push(lease?.epoch);
          counted.count += 1;
          holders -= 1;
        }),
      ),
    );
    expect(counted.count).toBe(3);
    if (isShared) expect(held).toEqual([1, 2, 3]);
  });

  test('is refused at once to a caller that does not wait, which learns who holds it; it is free after work that failed', async () => {
    const [one, two] = await openThree(await newPlace());
    await one
      .hold({ waitMs: 0 }, async () => {
        expect(await failureOf(() => two.hold({ waitMs: 0 }, async () => undefined))).toMatchObject({
          code: 'locked',
          found: expect.stringContaining(`process ${process.pid}`),
        });
        throw new RangeError('the work fails');
      })
      .catch((error) => expect(error).toBeInstanceOf(RangeError));
    expect(await two.hold({ waitMs: 0 }, async () => 'done')).toBe('done');
  });

  test('is lost by whoever was paused while another one took it: a late holder signs nothing', async () => {
    // The lock of a folder is the operating system's, and is not lost.
    if (!isShared) return;
    const [one, two] = await openThree(await newPlace(), { now: () => NOW });
    const stale = await one.hold({ waitMs: 0 }, async (lease) => lease);
    const late = one.publisher(stale);
    await two.hold({ waitMs: 0 }, async (lease) => {
      expect(lease!.epoch).toBe(stale!.epoch + 1);
      expect(await failureOf(() => late.sign(10))).toMatchObject({ code: 'locked' });
      expect(await late.last()).toBeNull();
      await two.publisher(lease).sign(10);
      expect(await failureOf(() => late.sign(12))).toMatchObject({ code: 'locked' });
      // A database that was set back counts the same epochs again.
      const other = { ...stale!, epoch: lease!.epoch };
      expect(await failureOf(() => one.publisher(other).sign(12))).toMatchObject({ code: 'locked' });
      expect((await late.last())!.ledger.size).toBe(10);
    });
  });
});
