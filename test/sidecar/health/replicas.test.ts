import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RELEASE_CHANNEL } from '../../../pipeline/bucket/current-release.ts';
import type { ObjectStore } from '../../../pipeline/objects/object-store.ts';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { openPublished } from '../../../src/sidecar/files/published.ts';
import { isReady, type ReadinessSources, readReadiness } from '../../../src/sidecar/health/readiness.ts';
import { Replicas } from '../../../src/sidecar/health/replicas.ts';
import { openStore, type Pushed, pointTo, pushReleases } from '../../bucket/pushed-releases.ts';
import { InProcessStore } from '../../engines/in-process-store.ts';
import { CREDENTIALS } from '../../engines/object-store.ts';
import { BASE_URL } from '../../release/small-service.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { useStore } from '../../setups/use-store.ts';

const postgres = useStore();

describe.skipIf(postgres.isMissing)('replicas', () => {
  let database: Database;
  let address: string;

  beforeAll(async () => {
    address = await postgres.newDatabase();
    database = await openDatabase(address, { application: 'a test', connections: 4 });
  });
  afterAll(() => database?.close());

  /** A replica whose version, readiness and clock the test sets, and which announces when the test says so. */
  function replica(name: string, version: number, service = 'https://one.example.org') {
    const state = { version, isReady: true, ms: 0 };
    const reported: unknown[] = [];
    const replicas = new Replicas({
      database,
      service,
      name,
      version: () => state.version,
      isReady: () => state.isReady,
      report: (error) => reported.push(error),
      monotonic: () => state.ms,
      announceMs: 3_600_000,
    });
    onTestFinished(() => replicas.close());
    return { state, replicas, reported };
  }

  test('are late only behind a live and ready one of their service', async () => {
    const [one, two, other] = [replica('one', 1), replica('two', 1), replica('other', 9, 'https://other')];
    const all = [one, two, other];
    const announce = async () => {
      for (const { replicas } of [...all, ...all]) await replicas.announce();
      return all.map(({ replicas }) => replicas.isLate());
    };
    expect(await announce()).toEqual([false, false, false]);
    two.state.version = 2;
    expect(await announce()).toEqual([true, false, false]);
    two.state.isReady = false;
    expect(await announce()).toEqual([false, false, false]);
    two.state.isReady = true;
    await announce();
    // At once, without another announcement.
    one.state.version = 2;
    expect(one.replicas.isLate()).toBe(false);
    one.state.version = 1;
    expect(one.replicas.isLate()).toBe(true);
    // A replica that was killed.
    await database.query(
      "UPDATE cathedral.replicas SET seen_at = seen_at - interval '11 s' WHERE name = 'two'",
    );
    await one.replicas.announce();
    expect(one.replicas.isLate()).toBe(false);
    await two.replicas.announce();
    await one.replicas.announce();
    expect(one.replicas.isLate()).toBe(true);
    await two.replicas.close();
    await one.replicas.announce();
    expect(one.replicas.isLate()).toBe(false);
  });

  test('ask what the others serve before they count on old knowledge', async () => {
    const [one, two] = [replica('one', 1), replica('two', 1)];
    await two.replicas.announce();
    await one.replicas.refresh();
    two.state.version = 2;
    await two.replicas.announce();
    await one.replicas.refresh();
    expect(one.replicas.isLate()).toBe(false);
    // The process was stopped.
    one.state.ms += 15_000;
    const readiness = () => readReadiness({ ...healthy, following: following(one.replicas) });
    expect((await readiness()).serving.release).toBe('another server has a newer release');
    // Of two that are late none leaves.
    await two.replicas.close();
    one.state.ms += 2000;
    expect((await readiness()).serving.release).toBe(null);
  });

  test('are ready while the database does not answer, and not while they catch up after a pause', async () => {
    const following = { fault: () => null, isLate: () => false, isResuming: () => false };
    const never = { ...following, refresh: () => new Promise<void>(() => {}) };
    expect(isReady(await readReadiness({ ...healthy, following: never }))).toBe(true);
    const resuming = { ...never, isResuming: () => true };
    expect(isReady(await readReadiness({ ...healthy, following: resuming }))).toBe(false);
  });

  const fine = async () => {};
  /** Every part but what it knows of the others. */
  const healthy: Omit<ReadinessSources, 'following'> = {
    hasRelease: async () => true,
    isDraining: () => false,
    readKeys: fine,
    checkCounts: fine,
    checkAccessLog: fine,
    readStatus: async () => null,
    countsLostAt: () => null,
  };
  const following = (replicas: Replicas) => ({
    fault: () => null,
    refresh: () => replicas.refresh(),
    isLate: () => replicas.isLate(),
    isResuming: () => false,
  });

  test('that cannot announce say so once, and do not count as late', async () => {
    const { replicas, reported } = replica('alone', 1);
    const query = database.transaction;
    database.transaction = () => Promise.reject(new Error('the database is down'));
    onTestFinished(() => {
      database.transaction = query;
    });
    await replicas.announce();
    await replicas.announce();
    expect([replicas.isLate(), reported.length]).toEqual([false, 1]);
  });

  describe('of one bucket', () => {
    let engine: InProcessStore;
    let store: ObjectStore;
    const folder = useFolder();
    let first: Pushed;
    let second: Pushed;
    beforeAll(async () => {
      engine = await InProcessStore.start();
      store = await openStore(engine.bucket(), 'write');
      [first, second] = (await pushReleases(folder, store, [300, 40])) as [Pushed, Pushed];
    });
    afterAll(() => {
      store?.close();
      engine?.stop();
    });

    async function follow() {
      const config = { releases: engine.bucket(), ...CREDENTIALS, baseUrl: BASE_URL };
      const published = await openPublished(
        { ...config, out: await temporaryFolder() },
        { logger: pino({ level: 'silent' }), database, alsoIn: [], software: 'test/0', isReady: () => true },
      );
      onTestFinished(() => published.close());
      return published.following!;
    }

    const until = async (what: () => boolean) => {
      while (!what()) await sleep(5);
    };

    test('switch together by the clock of the database, when they are woken, and one that is behind is late', async () => {
      await pointTo(store, first.pointed, Date.now() - 1000);
      const [one, two] = [await follow(), await follow()];
      await until(() => one.version() > 0 && two.version() > 0);
      // One of them does not get the next release.
      let asked = 0;
      engine.plan = ({ key }) => {
        if (key.startsWith('manifests/')) asked += 1;
        return key.startsWith('manifests/') && asked > 1 ? { status: 500 } : null;
      };
      await pointTo(store, second.pointed, Date.now() + database.clock());
      await database.query('SELECT pg_notify($1, $2)', [RELEASE_CHANNEL, '']);
      const newest = second.pointed.version;
      await until(() => one.version() === newest || two.version() === newest);
      const late = one.version() === newest ? two : one;
      await until(() => late.isLate());
      expect([one, two].filter((replica) => replica.isLate())).toEqual([late]);
      engine.plan = () => null;
      await until(() => late.version() === newest);
      expect(late.isLate()).toBe(false);
    });
  });
});
