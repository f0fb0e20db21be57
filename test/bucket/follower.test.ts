import { mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Follower, type FollowerOptions } from '../../pipeline/bucket/follower.ts';
import { blobKey, POINTER_KEY } from '../../pipeline/bucket/layout.ts';
import { pullRelease } from '../../pipeline/bucket/pull-release.ts';
import type { ObjectStore } from '../../pipeline/objects/object-store.ts';
import { releaseFolder, sha256 } from '../../pipeline/release/format/manifest.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { verifyRelease } from '../../pipeline/release/staging/verify-release.ts';
import { Releases } from '../../src/sidecar/files/releases.ts';
import { InProcessStore, type S3Call } from '../engines/in-process-store.ts';
import { textsBelow } from '../files-below.ts';
import { meanwhile } from '../meanwhile.ts';
import { BASE_URL } from '../release/small-service.ts';
import { failureOf, temporaryFolder } from '../release/temporary-folder.ts';
import { few, sweep } from '../setups/sweep.ts';
import { useFolder } from '../setups/use-folder.ts';
import { openStore, type Pushed, pointTo, pushAll, smallReleases } from './pushed-releases.ts';
import { tinyReleases } from './tiny-releases.ts';

let engine: InProcessStore;
let store: ObjectStore;
/** A release with all its files, and three with a few. */
let whole: Pushed[];
let pushed: Pushed[];
const folder = useFolder();

beforeAll(async () => {
  engine = await InProcessStore.start();
  store = await openStore(engine.bucket(), 'write');
  whole = await pushAll(store, (await smallReleases()).outs.slice(0, 1));
  pushed = await pushAll(
    store,
    (await tinyReleases(folder)).map(({ out }) => out),
  );
});
afterAll(async () => {
  store?.close();
  engine?.stop();
});
afterEach(() => {
  engine.plan = () => null;
});

const isBlob = ({ key }: S3Call) => key.startsWith('blobs/');
const past = () => Date.now() - 60_000;

interface Followed {
  follower: Follower;
  out: string;
  /** Every fault and every recovery. */
  faults: unknown[];
}

async function follow(out: string, more: Partial<FollowerOptions> = {}): Promise<Followed> {
  const faults: unknown[] = [];
  const follower = await Follower.open({
    store,
    out,
    service: BASE_URL,
    clock: null,
    pollMs: 20,
    onFault: (error) => faults.push(error),
    ...more,
  });
  follower.start();
  onTestFinished(() => follower.close());
  return { follower, out, faults };
}

/** Until a follower has looked at the pointer and asked again: the first look may have begun before the pointer was written. */
async function untilDealtWith(): Promise<void> {
  const looks = () => engine.calls.filter(({ key }) => key === POINTER_KEY).length;
  const before = looks();
  await until(() => looks() > before + 2);
}

const until = (what: () => boolean | Promise<boolean>) => expect.poll(what, { interval: 10 }).toBe(true);

async function served(out: string): Promise<number | null> {
  return (await readCurrent(out))?.manifest.signed?.version ?? null;
}

describe('pullRelease', () => {
  test('makes the folder that the publisher has', async () => {
    const out = await temporaryFolder();
    const { dir, fetched } = await pullRelease(whole[0]!.pointed, { store, out });
    const made = join(whole[0]!.out, 'releases', releaseFolder((await readCurrent(whole[0]!.out))!.manifest));
    expect(textsBelow(dir)).toEqual(textsBelow(made));
    expect(Object.keys(textsBelow(dir))).toContain('state.json');
    expect(await readdir(out)).toEqual(['releases']);
    expect(fetched.files).toBeGreaterThan(50);
  });

  test.each(few(['altered', 'shortened', 'lost'] as const, 2))(
    'leaves no release where an object stays %s, and resumes with what it had',
    async (fault) => {
      const out = await temporaryFolder();
      let blobs = 0;
      let damaged = '';
      engine.plan = (call) => {
        if (!isBlob(call)) return null;
        blobs += 1;
        if (blobs === 30) damaged = call.key;
        return call.key === damaged ? fault : null;
      };
      const code = /altered|shortened/.test(fault) ? 'release_invalid' : 'store_failed';
      expect(await failureOf(() => pullRelease(whole[0]!.pointed, { store, out }))).toMatchObject({ code });
      expect(await readdir(join(out, 'releases'))).toEqual([]);
      const had = await readdir(join(out, 'staging-fetched'));
      engine.plan = () => null;
      engine.calls.length = 0;
      const { dir, fetched } = await pullRelease(whole[0]!.pointed, { store, out });
      expect(await verifyRelease(dir)).toEqual([]);
      const asked = engine.calls.filter(isBlob).map(({ key }) => key);
      expect(asked).toHaveLength(fetched.files);
      expect(had.length).toBeGreaterThan(10);
      expect(had.filter((name) => asked.includes(blobKey(name)))).toEqual([]);
    },
  );

  test('mends a release of which files are missing', async () => {
    const out = await temporaryFolder();
    const { dir } = await pullRelease(whole[0]!.pointed, { store, out });
    await rm(join(dir, 'public/economy/supply'));
    await pullRelease(whole[0]!.pointed, { store, out });
    expect(await verifyRelease(dir)).toEqual([]);
  });
});

describe('a follower', () => {
  test('waits for the first release and says why, then follows each pointer', async () => {
    await store.delete([POINTER_KEY]);
    const { follower, out, faults } = await follow(await temporaryFolder());
    expect([follower.pointer, follower.version]).toEqual([null, 0]);
    expect(follower.fault()).toBe('the bucket has no release yet');
    for (const { pointed } of pushed) {
      await pointTo(store, pointed, past());
      await until(() => follower.version === pointed.version);
      expect(await served(out)).toBe(pointed.version);
      expect(follower.pointer!.log).toEqual(pointed.log);
      expect(await readFile(join(out, 'log/checkpoint'), 'utf8')).toBe(pointed.log.checkpoint);
      await until(() => follower.fault() === null);
    }
    expect(faults.map((fault) => fault === null)).toEqual([false, true]);
    // The previous one stays for requests that have just looked it up.
    expect(await readdir(join(out, 'releases'))).toHaveLength(2);
    expect((await readdir(out)).sort()).toEqual(
      'current followed.json log log-entries releases snapshots'.split(' '),
    );
  });

  test('never shows a release before its log and its snapshot list', async () => {
    await pointTo(store, pushed[0]!.pointed, past());
    const { follower, out } = await follow(await temporaryFolder());
    await until(() => follower.version > 0);
    const behind: string[] = [];
    const watch = async (isOver: () => boolean) => {
      while (!isOver()) {
        const { manifest } = (await readCurrent(out))!;
        const note = await readFile(join(out, 'log/checkpoint'), 'utf8');
        const list = await readFile(join(out, 'snapshots/index.json'), 'utf8');
        if (Number(note.split('\n')[1]) < manifest.ledger.size) behind.push(`log of ${manifest.release}`);
        if (!list.includes(manifest.ledger.snapshot)) behind.push(`list of ${manifest.release}`);
      }
    };
    await meanwhile(async () => {
      await pointTo(store, pushed[2]!.pointed, past());
      await until(() => follower.version === pushed[2]!.pointed.version);
    }, watch);
    expect(behind).toEqual([]);
  });

  test.each(few(['all of it', 'log', 'snapshots', 'releases', 'current'] as const, 3))(
    'fetches again what somebody has removed from its folder: %s, and says meanwhile that it has no release',
    async (what) => {
      const { version } = pushed[0]!.pointed;
      await pointTo(store, pushed[0]!.pointed, past());
      const { follower, out } = await follow(await temporaryFolder());
      await until(() => follower.version === version);
      await until(async () => (await readdir(out)).every((name) => !name.startsWith('staging')));
      const before = textsBelow(out);
      engine.plan = ({ key }) => (key === POINTER_KEY ? 'lost' : null);
      for (const name of what === 'all of it' ? await readdir(out) : [what])
        await rm(join(out, name), { recursive: true });
      await until(() => follower.version === 0);
      engine.plan = () => null;
      await until(() => follower.version === version);
      await until(() => follower.fault() === null);
      expect(textsBelow(out)).toEqual(before);
    },
  );

  test('links what another folder of this machine has: files of releases and of snapshots', async () => {
    const [publisher] = whole;
    await pointTo(store, publisher!.pointed, past());
    const { out } = await follow(await temporaryFolder(), { alsoIn: [publisher!.out] });
    const sameFile = async (path: string) => {
      const [own, other] = await Promise.all(
        [out, publisher!.out].map((folder) => stat(join(folder, path)).catch(() => null)),
      );
      return own?.ino !== undefined && own.ino === other?.ino;
    };
    const ids = (await readdir(join(publisher!.out, 'snapshots'))).filter((name) => name.endsWith('Z'));
    const files = ids.flatMap((id) =>
      Object.keys(textsBelow(join(publisher!.out, 'snapshots', id)))
        .filter((path) => path !== 'index.json')
        .map((path) => `snapshots/${id}/${path}`),
    );
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) await until(() => sameFile(file));
    const name = releaseFolder((await readCurrent(publisher!.out))!.manifest);
    expect(await sameFile(`releases/${name}/public/economy/supply`)).toBe(true);
  });

  test('switches with every other at the time of the pointer, whatever its own clock says', async () => {
    await pointTo(store, pushed[0]!.pointed, past());
    const HOUR = 3_600_000;
    const switched: number[] = [];
    const skewed = (ms: number): Partial<FollowerOptions> => ({
      now: () => Date.now() + ms,
      onSwitch: (version) => {
        if (version === pushed[1]!.pointed.version) switched.push(Date.now());
      },
    });
    const all = await Promise.all([
      follow(await temporaryFolder(), { ...skewed(0), clock: () => 0 }),
      follow(await temporaryFolder(), { ...skewed(HOUR), clock: () => -HOUR }),
      // Without a database: by the store's clock.
      follow(await temporaryFolder(), skewed(-HOUR)),
    ]);
    await until(() => all.every(({ follower }) => follower.version === pushed[0]!.pointed.version));
    const at = Date.now() + 4000;
    await pointTo(store, pushed[1]!.pointed, at);
    // By a clock that is an hour behind, it would not switch before the test ends.
    await until(() => switched.length === 3);
    for (const time of switched) expect(time).toBeGreaterThan(at - 2000);
  });

  test('never goes back, also after a restart', async () => {
    await pointTo(store, pushed[1]!.pointed, past());
    const first = await follow(await temporaryFolder());
    await until(() => first.follower.version === pushed[1]!.pointed.version);
    const goesBack = async ({ follower, faults }: Followed) => {
      await until(() => follower.fault() !== null);
      await sleep(100);
      expect(follower.fault()).toMatch(/contradicts/);
      expect([follower.version, await served(first.out)]).toEqual(Array(2).fill(pushed[1]!.pointed.version));
      expect(faults).toHaveLength(1);
      expect(faults[0]).toMatchObject({ code: 'release_refused' });
    };
    await pointTo(store, pushed[0]!.pointed, past());
    await goesBack(first);
    await first.follower.close();
    const again = await follow(first.out);
    expect(again.follower.pointer!.version).toBe(pushed[1]!.pointed.version);
    await goesBack(again);
    // A different release of the same version, and a shorter log.
    const { pointed } = pushed[1]!;
    await pointTo(store, { ...pointed, manifest: pushed[2]!.pointed.manifest }, past());
    await untilDealtWith();
    await pointTo(store, { ...pushed[2]!.pointed, log: pushed[0]!.pointed.log }, past());
    await untilDealtWith();
    // An older version with the log of the newer one.
    await pointTo(store, { ...pushed[0]!.pointed, log: pointed.log }, past());
    await untilDealtWith();
    expect(await served(first.out)).toBe(pointed.version);
    await pointTo(store, pushed[2]!.pointed, past());
    await until(() => again.follower.version === pushed[2]!.pointed.version);
    await until(() => again.follower.fault() === null);
  });

  test('finishes a switch that a kill interrupted, also without the store', async () => {
    await pointTo(store, pushed[0]!.pointed, past());
    const first = await follow(await temporaryFolder());
    await until(() => first.follower.version === pushed[0]!.pointed.version);
    await first.follower.close();
    await pullRelease(pushed[1]!.pointed, { store, out: first.out });
    const followed = join(first.out, 'followed.json');
    const text = JSON.parse(await readFile(followed, 'utf8'));
    text.pointer = { ...text.pointer, ...pushed[1]!.pointed };
    await writeFile(followed, JSON.stringify(text));
    engine.plan = () => 'lost';
    const again = await follow(first.out);
    expect(await served(again.out)).toBe(pushed[1]!.pointed.version);
    expect(again.follower.fault()).toMatch(/object store/);
  });

  test.each([
    ['no JSON', () => Buffer.from('{')],
    ['half of it', (text: Buffer) => text.subarray(0, text.length / 2)],
    ['of a later version', (text: Buffer) => Buffer.from(String(text).replace('-pointer/1', '-pointer/2'))],
    ['another log size', (text: Buffer) => Buffer.from(String(text).replace(/"size": \d+/, '"size": 7'))],
  ])('serves what it has while the pointer is damaged: %s', async (_, damage) => {
    await pointTo(store, pushed[1]!.pointed, past());
    const { follower, out, faults } = await follow(await temporaryFolder());
    await until(() => follower.version > 0);
    const bytes = damage(Buffer.from((await store.read(POINTER_KEY, 1 << 20))!.content));
    await store.put(POINTER_KEY, { bytes, sha256: sha256(bytes) });
    await until(() => follower.fault() !== null);
    expect(follower.fault()).toMatch(/damaged, or a later version published it$/);
    await sleep(100);
    expect([await served(out), faults.length]).toEqual([pushed[1]!.pointed.version, 1]);
    await pointTo(store, pushed[2]!.pointed, past());
    await until(() => follower.version === pushed[2]!.pointed.version);
  });

  test('reads a pointer again that another byte came with once', async () => {
    await pointTo(store, pushed[0]!.pointed, past());
    const { follower, faults } = await follow(await temporaryFolder());
    await until(() => follower.version > 0);
    let altered = 0;
    engine.plan = ({ method, key }) => {
      if (method !== 'GET' || key !== POINTER_KEY || altered > 0) return null;
      altered += 1;
      return 'altered';
    };
    await pointTo(store, pushed[1]!.pointed, past());
    await until(() => follower.version === pushed[1]!.pointed.version);
    expect([altered, faults.length > 0]).toEqual([1, true]);
  });

  test('serves what it has while the store is down, and from the start', async () => {
    await pointTo(store, pushed[0]!.pointed, past());
    const { follower, out, faults } = await follow(await temporaryFolder());
    await until(() => follower.version > 0);
    engine.plan = () => 'lost';
    await until(() => follower.fault() !== null);
    await sleep(200);
    expect([await served(out), faults.length]).toEqual([pushed[0]!.pointed.version, 1]);
    await follower.close();
    const again = await follow(out);
    expect([await served(out), again.follower.version]).toEqual(Array(2).fill(pushed[0]!.pointed.version));
    expect(again.follower.pointer!.log.size).toBe(300);
    engine.plan = () => null;
    await pointTo(store, pushed[1]!.pointed, past());
    await until(() => again.follower.version === pushed[1]!.pointed.version);
  });

  test('refuses to start on the bucket of another service, with both addresses', async () => {
    await pointTo(store, pushed[0]!.pointed, past());
    const found = await failureOf(async () =>
      follow(await temporaryFolder(), { service: 'https://other.example.org' }),
    );
    expect(found).toMatchObject({ code: 'config_invalid' });
    expect(String(found.message)).toContain('https://other.example.org');
    expect(String(found.message)).toContain(BASE_URL);
  });

  describe('whose process stood still', () => {
    /** Follows the first release by clocks that stand still but where the test puts them forward: that of the cluster, and the monotonic one. */
    async function paused(more: Partial<FollowerOptions> = {}) {
      await pointTo(store, pushed[0]!.pointed, past());
      const wall = Date.now();
      const clock = { cluster: wall, monotonic: 0, resumed: 0 };
      const monotonic = () => clock.monotonic;
      const onResume = async () => {
        clock.resumed += 1;
      };
      const followed = await follow(await temporaryFolder(), {
        ...{ now: () => wall, clock: () => clock.cluster - wall, pollMs: 60_000, monotonic, onResume },
        ...more,
      });
      await until(() => followed.follower.version > 0);
      const releases = new Releases(followed.out, () => {}, {
        keepMs: 60_000,
        switching: followed.follower,
        now: monotonic,
      });
      const current = async () => (await releases.current())?.manifest.signed?.version;
      expect(await current()).toBe(pushed[0]!.pointed.version);
      expect(releases.current()).not.toBeInstanceOf(Promise);
      return { ...followed, clock, releases, current };
    }
    const [, second, third] = Array.from({ length: 3 }, (_, at) => () => pushed[at]!.pointed);

    test('answers nothing from the old release once a switch is due, whichever timers have run', async () => {
      const { follower, clock, current } = await paused();
      await pointTo(store, second!(), clock.cluster + 1500);
      follower.wake();
      await until(() => follower.upcoming === second!().version);
      expect(follower.version).toBe(pushed[0]!.pointed.version);
      // No timer fires meanwhile.
      clock.cluster += 1510;
      clock.monotonic += 1510;
      const first = current();
      expect(follower.version).toBe(pushed[0]!.pointed.version);
      expect(await first).toBe(second!().version);
      expect(follower.pointer!.version).toBe(second!().version);
      // What was current is not taken for granted any more, although nothing has asked in time.
      expect(await current()).toBe(second!().version);
    });

    test('looks at the pointer and asks for the others before it answers again', async () => {
      // Requests do not wait for long, so its files are on this disk. Only the follower itself writes to its folder.
      const beside = await temporaryFolder();
      await pullRelease(third!(), { store, out: beside });
      const { follower, clock, current } = await paused({ alsoIn: [beside] });
      await pointTo(store, third!(), past());
      clock.monotonic += 15_000;
      expect(follower.isResuming).toBe(true);
      expect(await current()).toBe(third!().version);
      expect([follower.isResuming, clock.resumed]).toEqual([false, 1]);
    });

    test('serves what it has if nobody can tell it more', async () => {
      const { follower, clock, current } = await paused();
      engine.plan = () => 'lost';
      clock.monotonic += 15_000;
      expect(await current()).toBe(pushed[0]!.pointed.version);
      expect([follower.isResuming, follower.fault()]).toEqual([false, expect.stringMatching(/object store/)]);
    });

    test('announces a release only shortly before it switches, and not one that it cannot switch to', async () => {
      const { follower, out, clock, current } = await paused();
      await pointTo(store, second!(), clock.cluster + 7000);
      follower.wake();
      await until(async () => (await readdir(join(out, 'releases'))).length === 2);
      await sleep(100);
      expect(follower.upcoming).toBe(pushed[0]!.pointed.version);
      clock.cluster += 2500;
      await until(() => follower.upcoming === second!().version);
      // A folder where the link has to be made fails for root as well.
      await mkdir(join(out, 'current.next', 'x'), { recursive: true });
      clock.cluster += 4500;
      follower.wake();
      await until(() => follower.fault() !== null);
      expect(follower.upcoming).toBe(pushed[0]!.pointed.version);
      expect(await current()).toBe(pushed[0]!.pointed.version);
      await rm(join(out, 'current.next'), { recursive: true });
      clock.monotonic += 2500;
      expect(await current()).toBe(second!().version);
    });
  });

  test('names the folder where the disk refuses', async () => {
    await pointTo(store, pushed[0]!.pointed, past());
    const out = await temporaryFolder();
    await mkdir(join(out, 'releases'), { recursive: true });
    // A file where a folder has to be fails for root as well.
    await writeFile(join(out, 'staging-fetched'), '');
    const { follower, faults } = await follow(out);
    await until(() => follower.fault() !== null);
    expect(faults[0]).toMatchObject({ code: 'publish_failed' });
    expect(String(faults[0])).toContain(out);
    await rm(join(out, 'staging-fetched'));
    await until(() => follower.version > 0);
  });

  // A dozen faults, each with a follower of its own: on a busy machine it takes minutes.
  sweep(
    'shows one whole release at every moment, whichever call to the store fails',
    {
      timeout: 600_000,
    },
    async () => {
      await pointTo(store, pushed[0]!.pointed, past());
      const { follower, out } = await follow(await temporaryFolder());
      await until(() => follower.version > 0);
      const start = engine.calls.length;
      await pointTo(store, pushed[1]!.pointed, past());
      await until(() => follower.version === pushed[1]!.pointed.version);
      const calls = engine.calls.length - start;
      await follower.close();
      for (let failing = 1; failing <= calls; failing += Math.ceil(calls / 12)) {
        await pointTo(store, pushed[0]!.pointed, past());
        const one = await follow(await temporaryFolder());
        await until(() => one.follower.version > 0);
        const from = engine.calls.length;
        const faults = ['altered', 'truncated', 'lost'] as const;
        engine.plan = (_, number) => (number === from + failing ? faults[failing % 3] : null);
        await pointTo(store, pushed[1]!.pointed, past()).catch(() =>
          pointTo(store, pushed[1]!.pointed, past()),
        );
        await until(() => one.follower.version === pushed[1]!.pointed.version);
        engine.plan = () => null;
        expect(await verifyRelease(join(one.out, await readlink(join(one.out, 'current'))))).toEqual([]);
        await one.follower.close();
      }
      expect((await stat(join(out, 'current'))).isDirectory()).toBe(true);
    },
  );
});
