import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { claimBucket } from '../../pipeline/bucket/claim-bucket.ts';
import { cleanBucket } from '../../pipeline/bucket/clean-bucket.ts';
import {
  addCosignatures,
  readCurrentRelease,
  setCurrentRelease,
  setStatus,
} from '../../pipeline/bucket/current-release.ts';
import { type Pointed, parsePointer } from '../../pipeline/bucket/pointer.ts';
import { openPush } from '../../pipeline/bucket/push.ts';
import { repairPointer } from '../../pipeline/bucket/repair-pointer.ts';
import { Upload } from '../../pipeline/bucket/upload.ts';
import { noteText } from '../../pipeline/ledger/notes/note.ts';
import { type ObjectStoreOptions, openObjectStore } from '../../pipeline/objects/object-store.ts';
import { type Database, openDatabase } from '../../pipeline/postgres/database.ts';
import { type Lease, withLease } from '../../pipeline/postgres/lease.ts';
import { sha256 } from '../../pipeline/release/format/manifest.ts';
import { InProcessStore, type StoreFault } from '../engines/in-process-store.ts';
import { CREDENTIALS } from '../engines/object-store.ts';
import { hasPostgres, PostgresServer } from '../engines/postgres.ts';
import { isSweep } from '../setups/sweep.ts';
import { useFolder } from '../setups/use-folder.ts';
import { ForeignKey } from '../witness/foreign-log.ts';
import { wholeRelease } from './bucket-reader.ts';
import { type Local, tinyReleases } from './tiny-releases.ts';

const DAY_MS = 86_400_000;
const claim = { service: 'https://data.example.org', publisher: 'data.example.org' };
const { service } = claim;
const IMPATIENT = { stallMs: 200, attempts: 1, wait: async () => {} };

/** Every call to the store, or some of them. */
const STEP = isSweep ? 1 : 12;

describe.skipIf(!hasPostgres)('a release in a bucket', () => {
  let server: PostgresServer;
  let address: string;
  let database: Database;
  let store: InProcessStore;
  const folder = useFolder();
  let first: Local;
  let second: Local;

  beforeAll(async () => {
    [first, second] = await tinyReleases(folder);
    server = await PostgresServer.start();
    address = await server.newDatabase();
    database = await openDatabase(address, { application: 'a test', connections: 4 });
    store = await InProcessStore.start();
  });

  afterAll(async () => {
    await database?.close();
    store?.stop();
    server?.stop();
  });

  beforeEach(async () => {
    await database.query('TRUNCATE cathedral.current_release, cathedral.buckets');
    store.objects.clear();
    store.plan = () => null;
  });

  const read = (key: string) => store.objects.get(`bucket/${key}`)?.bytes;
  const open = async (options: Partial<ObjectStoreOptions> = {}) => {
    const given = { software: 'test', access: 'write', wait: async () => {}, ...options } as const;
    const objects = await openObjectStore(store.bucket(), CREDENTIALS, given);
    onTestFinished(() => objects.close());
    return objects;
  };
  const leading = <T>(work: (lease: Lease) => Promise<T>) =>
    withLease(database, { name: 'publisher', holder: 'a test', waitMs: 0 }, work);

  /** What a run does once it has made a release. */
  async function publish(
    { out, release }: Local,
    options: Partial<ObjectStoreOptions> = {},
    previous?: Pointed | null,
  ) {
    const objects = await open(options);
    return leading(async (lease) => {
      await claimBucket(database, objects, claim);
      const current = previous === undefined ? await readCurrentRelease(database, service) : previous;
      const push = await openPush({ out, objects, service, previous: current, parallel: 4, log: () => {} });
      const pointed = await push.release(release);
      await setCurrentRelease(database, lease, pointed);
      await repairPointer(database, objects, claim);
      return push.sent;
    });
  }

  test('is there whole, with its log and its snapshots, and the next one sends only what is new', async () => {
    const sent = await publish(first);
    expect(await wholeRelease(read)).toBe(first.release.manifest.signed!.version);
    const calls = store.calls.length;
    expect(await publish(first)).toEqual({ objects: 0, bytes: 0 });
    const next = await publish(second);
    expect(await wholeRelease(read)).toBe(second.release.manifest.signed!.version);
    expect(next.objects).toBeLessThan(sent.objects);
    const methods = store.calls.slice(calls).map(({ method, key, query }) => key || `${method} ${query}`);
    expect(methods.filter((key) => key.includes('list-type=2&prefix=blobs'))).toEqual([]);
    // The partial tiles of the ledger's earlier checkpoint are there as well.
    expect(read('log/tile/0/001.p/44')?.length).toBe(44 * 32);
    expect(read('log/tile/0/002.p/48')?.length).toBe(48 * 32);
    const pointer = parsePointer(read('pointer.json')!.toString());
    expect(pointer).toEqual(await readCurrentRelease(database, service));
  });

  test('keeps the cosignatures of its checkpoint, whoever adds them, and afterwards those of the one before', async () => {
    await publish(first);
    const row = (await readCurrentRelease(database, service))!;
    const text = noteText(row.log.checkpoint, 'note');
    const [one, two] = [1, 2].map((seed) => new ForeignKey(`w${seed}.example`, 4, seed).line(text, seed));
    // Two publishers, each with what it knows.
    const added = [one, two].map((line) => addCosignatures(database, service, row.log.checkpoint + line));
    expect(await Promise.all(added)).toEqual([true, true]);
    expect(await addCosignatures(database, service, row.log.checkpoint + one)).toBe(false);
    const cosigned = (await readCurrentRelease(database, service))!;
    const linesOf = (note: string) => note.split('\n').sort();
    const all = linesOf(row.log.checkpoint + one + two);
    expect(linesOf(cosigned.log.checkpoint)).toEqual(all);
    expect({ ...cosigned, log: row.log }).toEqual(row);
    // A run that took its copy before.
    const { switch_at: _, status: __, format: ___, ...stale } = row;
    const manifest = { ...stale.manifest, sha256: 'f'.repeat(64) };
    const refreshed = { ...stale, version: stale.version + 1, manifest };
    const set = await leading((lease) => setCurrentRelease(database, lease, refreshed));
    expect(linesOf(set.log.checkpoint)).toEqual(all);
    // The next release has a longer log.
    await database.query('UPDATE cathedral.current_release SET version = $1, pointed = $2', [
      row.version,
      JSON.stringify({ ...stale, log: cosigned.log }),
    ]);
    await publish(second);
    expect(read(`log/cosigned/${row.log.size}`)?.toString()).toBe(cosigned.log.checkpoint);
    expect(await addCosignatures(database, service, cosigned.log.checkpoint)).toBe(false);
    expect(read(`log/cosigned/${(await readCurrentRelease(database, service))!.log.size}`)).toBeUndefined();
  });

  test('is whole for readers after any call to the store fails, hangs or is the last one, and the next push completes it', async () => {
    await publish(first);
    const before = new Map(store.objects);
    const row = await readCurrentRelease(database, service);
    const { version } = second.release.manifest.signed!;
    const earlier = first.release.manifest.signed!.version;
    const begin = store.calls.length;
    await publish(second);
    const all = store.calls.length - begin;
    expect(all).toBeGreaterThan(20);
    const once: StoreFault[] = ['lost', 'answer lost', 'silent', { status: 503 }];
    const seen = new Set<number | null>();
    const calls = Array.from({ length: all + 1 }, (_, at) => at);
    // The last one decides what readers get.
    for (const last of calls.filter((at) => at % STEP === 0 || at === all)) {
      const reset = async () => {
        store.objects.clear();
        for (const [key, object] of before) store.objects.set(key, object);
        await database.query('UPDATE cathedral.current_release SET version = $1, pointed = $2', [
          row!.version,
          JSON.stringify({ ...row, format: undefined, switch_at: undefined, status: undefined }),
        ]);
        return store.calls.length;
      };
      const start = await reset();
      // The process ends: the answer to its last call is lost, and it makes no further one.
      store.plan = (_, number) =>
        number < start + last ? null : number === start + last ? 'answer lost' : { status: 403 };
      await expect(publish(second, IMPATIENT)).rejects.toMatchObject({ code: 'store_failed' });
      store.plan = () => null;
      const found = await wholeRelease(read);
      seen.add(found);
      expect([earlier, version]).toContain(found);
      await publish(second);
      expect(await wholeRelease(read)).toBe(version);

      const again = await reset();
      store.plan = (_, number) => (number === again + last ? once[last % once.length] : null);
      await publish(second, { stallMs: 200 });
      expect(await wholeRelease(read)).toBe(version);
    }
    expect(seen).toEqual(new Set([earlier, version]));
  });

  test('is not published with a damaged file of this machine', async () => {
    await publish(first);
    const { dir, manifest } = second.release;
    const place = join(dir, 'public/economy/supply');
    const intact = await readFile(place);
    onTestFinished(() => writeFile(place, intact));
    for (const damaged of [Buffer.from(intact).fill(32, 9, 10), intact.subarray(1)]) {
      await writeFile(place, damaged);
      await expect(publish(second)).rejects.toMatchObject({ code: 'release_invalid', place });
      expect(await wholeRelease(read)).toBe(first.release.manifest.signed!.version);
    }
    const { sha256: hash } = manifest.files.find(({ path }) => path === 'economy/supply')!;
    expect(read(`blobs/${hash}`)).toBeUndefined();
  });

  test('mends what the bucket lacks or has cut off, and refuses another log', async () => {
    await publish(first);
    const { version } = first.release.manifest.signed!;
    const row = await readCurrentRelease(database, service);
    const { sha256: hash } = first.release.manifest.files[0]!;
    const damage = store.objects.get(`bucket/blobs/${hash}`)!;
    store.objects.set(`bucket/blobs/${hash}`, { ...damage, bytes: damage.bytes.subarray(1) });
    store.objects.delete('bucket/log/tile/0/000');
    await expect(wholeRelease(read)).rejects.toThrow();
    expect(await publish(first, {}, null)).toMatchObject({ objects: 2 });
    expect(await wholeRelease(read)).toBe(version);
    // The second release fills this tile.
    const planted = { ...damage, bytes: Buffer.alloc(256 * 32), headers: {} };
    store.objects.set('bucket/log/tile/0/001', planted);
    await expect(publish(second)).rejects.toMatchObject({
      code: 'log_invalid',
      place: expect.stringContaining('/bucket/log/tile/0/001'),
    });
    store.objects.delete('bucket/log/tile/0/001');
    // Without its manifest, nothing is known of the release that the row names.
    store.objects.delete(`bucket/manifests/${row!.manifest.sha256}.json`);
    store.objects.delete(`bucket/blobs/${hash}`);
    await publish(second);
    expect(await wholeRelease(read)).toBe(second.release.manifest.signed!.version);
  });

  test('has its new snapshot in the bucket before it has anything else', async () => {
    const objects = await open();
    const push = await openPush({
      out: second.out,
      objects,
      service,
      previous: null,
      parallel: 4,
      log: () => {},
    });
    const id = second.release.manifest.ledger.snapshot;
    const begin = store.calls.length;
    await push.snapshot(id);
    const own = ['index.json', 'economy/supply'].map((name) => join(second.out, 'snapshots', id, name));
    const hashes = await Promise.all(own.map(async (place) => sha256(await readFile(place))));
    expect(store.objects.size).toBe(2);
    for (const hash of hashes) expect(read(`blobs/${hash}`)).toBeDefined();
    await push.release(second.release);
    const puts = store.calls
      .slice(begin)
      .filter(({ method, key }) => method === 'PUT' && key.endsWith(hashes[1]!));
    expect(puts).toHaveLength(1);
  });

  test('becomes current only under the lease, and only after an earlier version', async () => {
    await publish(first);
    const objects = await open();
    const push = await openPush({
      out: second.out,
      objects,
      service,
      previous: null,
      parallel: 4,
      log: () => {},
    });
    const next = await push.release(second.release);
    const row = await readCurrentRelease(database, service);
    let paused: Lease | undefined;
    await leading(async (lease) => {
      paused = lease;
    });
    await leading(async (lease) => {
      expect(lease.epoch).toBe(paused!.epoch + 1);
      await expect(setCurrentRelease(database, paused!, next)).rejects.toMatchObject({ code: 'locked' });
      expect(await readCurrentRelease(database, service)).toEqual(row);
      const clock = async () =>
        Number((await database.query('SELECT clock_timestamp() AS now')).rows[0]!.now);
      const earliest = await clock();
      const set = await setCurrentRelease(database, lease, next, 60_000);
      expect(Date.parse(set.switch_at) - 60_000).toBeGreaterThanOrEqual(earliest - 1);
      expect(Date.parse(set.switch_at) - 60_000).toBeLessThanOrEqual(await clock());
      expect(await setCurrentRelease(database, lease, next)).toEqual(set);
      const { switch_at: _, status: __, format: ___, ...before } = row!;
      const other = { ...next, manifest: before.manifest };
      for (const wrong of [before, other])
        await expect(setCurrentRelease(database, lease, wrong)).rejects.toMatchObject({
          code: 'release_refused',
        });
    });
  });

  test('is shown to nobody before the standby has confirmed that it is current', async () => {
    await publish(first);
    const shown = read('pointer.json')!;
    const objects = await open();
    const impatient = await openDatabase(address, { application: 'a test', connections: 2, timeoutMs: 500 });
    onTestFinished(() => impatient.close());
    const standby = async (name: string) => {
      await server.sql(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await server.sql('SELECT pg_reload_conf()');
      await expect
        .poll(() => server.sql('SHOW synchronous_standby_names'))
        .toEqual([{ synchronous_standby_names: name }]);
    };
    const push = await openPush({ ...second, objects, service, previous: null, parallel: 4, log: () => {} });
    const pointed = await push.release(second.release);
    await leading(async (lease) => {
      await standby('unreachable');
      const failure = { code: 'store_failed' };
      await expect(setCurrentRelease(impatient, lease, pointed)).rejects.toMatchObject(failure);
      const readable = async () => (await readCurrentRelease(impatient, service))?.version;
      await expect.poll(readable).toBe(pointed.version);
      await expect(repairPointer(impatient, objects, claim)).rejects.toMatchObject(failure);
      expect(read('pointer.json')).toEqual(shown);
      await standby('');
    }).finally(() => standby(''));
    expect(await repairPointer(database, objects, claim)).toBe('repaired');
    expect(parsePointer(read('pointer.json')!.toString()).version).toBe(pointed.version);
  });

  describe.each(['quoted', 'unquoted', 'ignored', 'refused'] as const)(
    'where conditions are %s',
    (conditions) => {
      let own: InProcessStore;
      beforeAll(async () => {
        own = await InProcessStore.start({ conditions });
      });
      afterAll(() => own?.stop());

      test('the pointer is repaired and never set back, and a second service is refused', async () => {
        const objects = await openObjectStore(own.bucket(), CREDENTIALS, {
          software: 'test',
          access: 'write',
        });
        onTestFinished(() => objects.close());
        const repair = () => repairPointer(database, objects, claim);
        const pointer = () => own.objects.get('bucket/pointer.json')!;
        expect(await repair()).toBe('no release');
        await publishRow(first);
        expect(await repair()).toBe('repaired');
        expect(await repair()).toBe('intact');
        const old = pointer();
        await publishRow(second);
        expect(await repair()).toBe('repaired');
        const intact = pointer().bytes.toString();
        const foreign = intact.replace(service, 'https://other.example.org');
        for (const damage of [
          old.bytes,
          Buffer.from('<html>'),
          Buffer.alloc(5 << 20),
          Buffer.from(foreign),
        ]) {
          own.objects.set('bucket/pointer.json', { ...old, bytes: damage, etag: sha256(damage) });
          expect(await repair()).toBe('repaired');
          expect(pointer().bytes.toString()).toBe(intact);
        }
        own.objects.delete('bucket/pointer.json');
        expect(await repair()).toBe('repaired');
        await database.query('TRUNCATE cathedral.current_release');
        await publishRow(first);
        await expect(repair()).rejects.toMatchObject({ code: 'release_refused' });
        expect(pointer().bytes.toString()).toBe(intact);

        const other = { service: 'https://other.example.org', publisher: 'other.example.org' };
        await claimBucket(database, objects, claim);
        const refusal = {
          code: 'release_refused',
          expected: expect.stringContaining(other.service),
          found: expect.stringContaining(service),
        };
        await expect(claimBucket(database, objects, other)).rejects.toMatchObject(refusal);
        // Another database knows nothing of it.
        await database.query('TRUNCATE cathedral.buckets');
        await expect(claimBucket(database, objects, other)).rejects.toMatchObject(refusal);
      });

      /** Makes a release the current one of the row, with objects that are in another bucket. */
      async function publishRow({ out, release }: Local) {
        const objects = await open();
        const push = await openPush({ out, objects, service, previous: null, parallel: 4, log: () => {} });
        const pointed = await push.release(release);
        await leading((lease) => setCurrentRelease(database, lease, pointed));
      }
    },
  );

  test('carries the status of the last run of any publisher', async () => {
    const objects = await open();
    const status = (finished_at: string) => ({
      format: 'cathedral-status/1' as const,
      service: { software: 'test' },
      release: null,
      last_run: {
        started_at: '2026-01-02T03:04:05Z',
        finished_at,
        outcome: 'unchanged' as const,
        snapshots: 0,
        events: 0,
        findings: { count: 0, latest: [] },
        error: null,
      },
      running: null,
      next_run_at: null,
    });
    await publish(first);
    const [early, late] = [status('2026-01-02T03:05:00Z'), status('2026-01-02T03:06:00.500Z')];
    for (const one of [early, late, early]) await setStatus(database, service, one);
    expect(await repairPointer(database, objects, claim)).toBe('repaired');
    expect(parsePointer(read('pointer.json')!.toString()).status).toEqual(late);
    await publish(second);
    expect(parsePointer(read('pointer.json')!.toString()).status).toEqual(late);
  });

  test('gets what it lacks again with the next run, also on a day on which it was cleaned', async () => {
    await publish(second);
    const options = { out: second.out, database, objects: await open(), service, parallel: 4 };
    const { sha256: hash } = second.release.manifest.files[0]!;
    const whole = new Map(store.objects);
    await leading(async (lease) => {
      expect(await cleanBucket({ ...options, lease })).toMatchObject({ missing: [] });
      for (const key of [`blobs/${hash}`, 'log/tile/0/000', 'log-entries/000']) {
        expect(store.objects.delete(`bucket/${key}`)).toBe(true);
        expect(await cleanBucket({ ...options, lease })).toMatchObject({ missing: [key] });
        expect(read(key)?.equals(whole.get(`bucket/${key}`)!.bytes)).toBe(true);
      }
    });
  });

  test('is cleaned of what nobody reads any more, once a day and under the lease', async () => {
    const age = (days: number, of: (key: string) => boolean = () => true) => {
      for (const [key, object] of store.objects) if (of(key)) object.modified -= days * DAY_MS;
    };
    const plant = (key: string, days: number) => {
      const bytes = Buffer.from('planted');
      const modified = Date.now() - days * DAY_MS;
      store.objects.set(`bucket/${key}`, { bytes, etag: sha256(bytes), headers: {}, modified });
    };
    await publish(first);
    await publish(second);
    age(30);
    const before = [...store.objects.keys()];
    plant(`blobs/${'0'.repeat(64)}`, 8);
    plant(`blobs/${'1'.repeat(64)}`, 6);
    plant(`manifests/${'2'.repeat(64)}.json`, 8);
    plant('blobs/notes.txt', 30);
    plant('access-log/heads/1', 30);
    const objects = await open();
    const options = { out: second.out, database, objects, service, parallel: 4 };
    await leading(async (lease) => {
      const ended = await leadingOther();
      await expect(cleanBucket({ ...options, lease: ended })).rejects.toMatchObject({ code: 'locked' });
      expect(await cleanBucket({ ...options, lease })).toEqual({
        removed: { objects: 2, bytes: 14 },
        missing: [],
      });
      plant(`blobs/${'0'.repeat(64)}`, 8);
      expect(await cleanBucket({ ...options, lease })).toMatchObject({ removed: { objects: 0 } });
      expect(before.filter((key) => !store.objects.has(key))).toEqual([]);
      for (const key of [`blobs/${'1'.repeat(64)}`, 'blobs/notes.txt', 'access-log/heads/1'])
        expect(read(key)).toBeDefined();

      // Nobody has the first release any more: its files go, and the tile that the second has in full.
      await database.query("UPDATE cathedral.current_release SET earlier = '{}', cleaned_at = NULL");
      const { sha256: hash } = second.release.manifest.files[0]!;
      store.objects.delete(`bucket/blobs/${hash}`);
      await expect(cleanBucket({ ...options, out: first.out, lease })).rejects.toMatchObject({
        code: 'release_invalid',
        place: expect.stringContaining(hash),
      });
      expect(read('log/tile/0/001.p/44')).toBeUndefined();
      expect(read('log-entries/001.p/44')).toBeUndefined();
      expect(read(`blobs/${firstOnly()}`)).toBeUndefined();
      await database.query('UPDATE cathedral.current_release SET cleaned_at = NULL');
      const { missing } = (await cleanBucket({ ...options, lease }))!;
      expect(missing).toEqual([`blobs/${hash}`]);
      expect(await wholeRelease(read)).toBe(second.release.manifest.signed!.version);
    });
  });

  test('sends long files as they are, and does not send again what something else has stored', async () => {
    const objects = await open();
    const bytes = randomBytes(9 << 20);
    const blob = { sha256: sha256(bytes), bytes: bytes.length };
    const file = join(folder, 'long');
    await writeFile(file, bytes);
    const key = `blobs/${blob.sha256}`;
    const upload = () => new Upload(objects, { parallel: 1 }).all(new Map([[key, { file, blob }]]));
    await upload();
    expect(read(key)?.equals(bytes)).toBe(true);
    const modified = 12_345;
    Object.assign(store.objects.get(`bucket/${key}`)!, { headers: {}, modified });
    await upload();
    expect(store.objects.get(`bucket/${key}`)).toMatchObject({ modified });
    store.objects.clear();
    bytes[100]! ^= 1;
    await writeFile(file, bytes);
    await expect(upload()).rejects.toMatchObject({ code: 'release_invalid', place: file });
    expect(store.objects.size).toBe(0);
  });

  test('is whole after a cleaning of which any call was the last', async () => {
    await publish(first);
    await publish(second);
    for (const object of store.objects.values()) object.modified -= 30 * DAY_MS;
    await database.query("UPDATE cathedral.current_release SET earlier = '{}'");
    const before = new Map(store.objects);
    const objects = await open(IMPATIENT);
    const options = { out: second.out, database, objects, service, parallel: 4 };
    await leading(async (lease) => {
      let isDone = false;
      for (let calls = 1; !isDone; calls += STEP) {
        for (const [key, object] of before) store.objects.set(key, object);
        await database.query('UPDATE cathedral.current_release SET cleaned_at = NULL');
        const begin = store.calls.length;
        store.plan = (_, number) => (number < begin + calls ? null : 'answer lost');
        isDone = await cleanBucket({ ...options, lease }).then(
          () => true,
          () => false,
        );
        expect(await wholeRelease(read)).toBe(second.release.manifest.signed!.version);
      }
      expect(store.objects.size).toBeLessThan(before.size);
    });
  });

  const leadingOther = () =>
    withLease(database, { name: 'another', holder: 'a test', waitMs: 0 }, async (lease) => ({
      ...lease,
      name: 'publisher',
    }));

  /** The hash of a file that only the first release has. */
  function firstOnly(): string {
    const later = new Set(second.release.manifest.files.map(({ sha256 }) => sha256));
    return first.release.manifest.files.find(
      ({ path, sha256 }) => path === 'manifest.json' && !later.has(sha256),
    )!.sha256;
  }
});
