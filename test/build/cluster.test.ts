import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parsePointer } from '../../pipeline/bucket/pointer.ts';
import { purgeOnceSwitched } from '../../pipeline/build/cluster.ts';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import { openObjectStore } from '../../pipeline/objects/object-store.ts';
import { openDatabase } from '../../pipeline/postgres/database.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { wholeRelease } from '../bucket/bucket-reader.ts';
import { InProcessStore, type S3Call } from '../engines/in-process-store.ts';
import { CREDENTIALS } from '../engines/object-store.ts';
import { writeLedger } from '../ledger/test-ledger.ts';
import { BASE_URL } from '../release/small-service.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { few, isLongSweep, sweep } from '../setups/sweep.ts';
import { useFolder } from '../setups/use-folder.ts';
import { useStore } from '../setups/use-store.ts';
import { copyKeys, type Machine, type Means, machineIn, runMachine } from './publisher-machine.ts';
import type { PublisherProcess } from './publisher-process.ts';

const postgres = useStore();

/** `npm run faults`. */

describe.skipIf(postgres.isMissing)('publishers that share a database and a bucket', () => {
  let store: InProcessStore;
  const folder = useFolder();
  let buckets = 0;
  /** Ledgers of one, two and three snapshots. */
  const ledgers: string[] = [];

  beforeAll(async () => {
    store = await InProcessStore.start();
    const counts = [30, 40, 20];
    for (const length of [1, 2, 3]) {
      const ledger = join(folder, `ledger${length}`);
      await mkdir(ledger);
      await writeLedger(ledger, ...counts.slice(0, length));
      ledgers.push(ledger);
    }
  });
  afterAll(async () => {
    store?.stop();
  });

  interface Service {
    address: string;
    bucket: string;
    machines: [Machine, Machine];
    connect: (database?: string) => Promise<Means>;
    pointer: () => ReturnType<typeof parsePointer> | null;
    whole: () => Promise<number | null>;
    /** Removes it before its test ends, which may need hundreds: each asks its database for the time, and PostgreSQL cleans up all there are. */
    end: () => Promise<void>;
  }

  async function service(): Promise<Service> {
    buckets += 1;
    const name = `bucket${buckets}`;
    const bucket = store.bucket(name);
    const address = await postgres.newDatabase();
    const folder = await temporaryFolder();
    const read = (key: string) => store.objects.get(`${name}/${key}`)?.bytes;
    const opened: Means[] = [];
    const end = async () => {
      for (const { database, objects } of opened.splice(0)) {
        objects.close();
        await database.close();
      }
      await postgres.drop(address);
      for (const key of store.objects.keys()) if (key.startsWith(`${name}/`)) store.objects.delete(key);
    };
    onTestFinished(end);
    return {
      address,
      bucket,
      machines: [machineIn(folder, 'a', ledgers[0]!), machineIn(folder, 'b', ledgers[0]!)],
      connect: async (of = address) => {
        const means = {
          database: await openDatabase(of, { application: 'a test', connections: 3, timeoutMs: 60_000 }),
          objects: await openObjectStore(bucket, CREDENTIALS, { software: 'test', access: 'write' }),
        };
        opened.push(means);
        return means;
      },
      pointer: () => {
        const text = read('pointer.json');
        return text ? parsePointer(String(text)) : null;
      },
      whole: () => wholeRelease(read),
      end,
    };
  }

  /** As if the holder had stopped renewing the lease, and it had expired. */
  async function expire({ database }: Means): Promise<void> {
    await database.query("UPDATE cathedral.leases SET expires_at = '-infinity'");
  }

  test('publish one release when both run at once, and the other has it ready', async () => {
    const of = await service();
    const [a, b] = of.machines;
    await runMachine(a, await of.connect());
    await copyKeys(a, b);
    const next = of.machines.map((machine) => ({ ...machine, ledger: ledgers[1]! }));
    const means = [await of.connect(), await of.connect()];
    const reports = await Promise.all(next.map((machine, at) => runMachine(machine, means[at]!)));
    expect(reports.map(({ outcome }) => outcome).sort()).toEqual(['published', 'unchanged']);
    const [one, other] = await Promise.all(of.machines.map(({ out }) => readCurrent(out)));
    expect(one!.manifest).toEqual(other!.manifest);
    expect(await of.whole()).toBe(one!.manifest.signed!.version);
    expect(of.pointer()!.status!.last_run.outcome).toBe('unchanged');
    const list = (out: string) => readFile(join(out, 'snapshots/index.json'), 'utf8');
    expect(await list(a.out)).toBe(await list(b.out));
  });

  sweep('purge caches after the switch and without the lease, each release once', async () => {
    const of = await service();
    const [a] = of.machines;
    const means = await of.connect();
    const { database } = means;
    const reports = [await runMachine(a, { ...means, switchDelayMs: 700 })];
    const purged: unknown[] = [];
    const purgeNow = (meanwhile = async () => {}) =>
      purgeOnceSwitched(database, BASE_URL, {
        log: () => {},
        purge: async () => {
          const { rows } = await database.query(
            'SELECT version, switch_at <= clock_timestamp() AS switched FROM cathedral.current_release',
          );
          purged.push(rows[0]);
          await meanwhile();
          return true;
        },
      });
    // Another run takes the lease meanwhile, and publishes a release that this purge comes too early for.
    const next = { ...a, ledger: ledgers[1]! };
    await purgeNow(async () => void reports.push(await runMachine(next, { ...means, waitMs: 0 })));
    await purgeNow();
    await purgeNow();
    const versions = reports.map(({ manifest }) => manifest.signed!.version);
    expect(versions[1]).toBeGreaterThan(versions[0]!);
    expect(purged).toEqual(versions.map((version) => ({ version, switched: true })));
  });

  sweep('refuse a machine without the keys, or with others', async () => {
    const of = await service();
    const [a, b] = of.machines;
    await runMachine(a, await of.connect());
    await expect(runMachine(b, await of.connect())).rejects.toThrow(
      /b\/publisher.key: expected data.example.org\+\S+, which signed last .*copy this file.*no such file/,
    );
    const c = machineIn(await temporaryFolder(), 'c', ledgers[0]!);
    const elsewhere = await service();
    await runMachine(c, await elsewhere.connect());
    await copyKeys(c, b);
    await expect(runMachine(b, await of.connect())).rejects.toThrow(/copy this file.*release_refused/);
    await copyKeys(a, b);
    expect((await runMachine(b, await of.connect())).outcome).toBe('unchanged');
  });

  sweep('refuse a database that is older than what was published', async () => {
    const of = await service();
    const [a] = of.machines;
    const means = await of.connect();
    await runMachine(a, means);
    const backup = await means.database.query('SELECT * FROM cathedral.current_release');
    const { version } = (await runMachine({ ...a, ledger: ledgers[1]! }, means)).manifest.signed!;
    const [row] = backup.rows;
    await means.database.query('UPDATE cathedral.current_release SET version = $1, pointed = $2', [
      row!.version,
      row!.pointed,
    ]);
    await expect(runMachine({ ...a, ledger: ledgers[2]! }, means)).rejects.toThrow(
      /the database was set back.*release_refused/,
    );
    const empty = await of.connect(await postgres.newDatabase());
    await expect(runMachine({ ...a, ledger: ledgers[2]! }, empty)).rejects.toThrow(
      /the database knows none .*release_refused/,
    );
    expect(of.pointer()!.version).toBe(version);
    expect(await of.whole()).toBe(version);
    for (const database of [empty, means]) {
      const adopting = { ...database, adoptsPointer: true };
      const { manifest } = await runMachine({ ...a, ledger: ledgers[2]! }, adopting);
      expect(manifest.signed!.version).toBeGreaterThan(version);
      expect(await of.whole()).toBe(manifest.signed!.version);
    }
  });

  test('send what a bucket lacks that was restored from a copy, where one has it', async () => {
    const of = await service();
    const [a, b] = of.machines;
    const means = await of.connect();
    await runMachine(a, means);
    await copyKeys(a, b);
    const copy = new Map(store.objects);
    const { version } = (await runMachine({ ...a, ledger: ledgers[1]! }, means)).manifest.signed!;
    for (const key of store.objects.keys()) if (!copy.has(key)) store.objects.delete(key);
    for (const [key, object] of copy) store.objects.set(key, object);
    await expect(runMachine({ ...b, ledger: ledgers[2]! }, await of.connect())).rejects.toThrow(
      /cathedral build sends it again on a publisher that has it, or .*, found no such object \(release_invalid\)/,
    );
    const { outcome } = await runMachine({ ...a, ledger: ledgers[1]! }, means);
    expect([outcome, await of.whole()]).toEqual(['unchanged', version]);
    expect((await runMachine({ ...b, ledger: ledgers[2]! }, await of.connect())).outcome).toBe('published');
  });

  test('make the release again that nobody has, when they are told to', async () => {
    const of = await service();
    const [a, b] = of.machines;
    const means = await of.connect();
    const first = await runMachine(a, means);
    await copyKeys(a, b);
    const next = { ...b, ledger: ledgers[1]! };
    const copy = new Map(store.objects);
    const lost = await runMachine({ ...a, ledger: ledgers[1]! }, means);
    for (const key of store.objects.keys()) if (!copy.has(key)) store.objects.delete(key);
    for (const [key, object] of copy) store.objects.set(key, object);
    await rm(a.out, { recursive: true });
    await expect(runMachine(next, means)).rejects.toThrow(/run: cathedral build --rebuild\), found no such/);
    // A snapshot is made once, and what is not there is only given up in so many words.
    await expect(runMachine(next, { ...means, rebuild: true })).rejects.toThrow(/snapshots.*release_refused/);
    const told = { ...means, rebuild: true, givesUp: true };
    const { outcome, manifest } = await runMachine({ ...b, ledger: ledgers[2]! }, told);
    expect(outcome).toBe('published');
    expect(manifest.signed!.version).toBeGreaterThan(lost.manifest.signed!.version);
    expect(await of.whole()).toBe(manifest.signed!.version);
    // What the copy still had stays.
    const { snapshot } = first.manifest.ledger;
    const list = JSON.parse(await readFile(join(b.out, 'snapshots/index.json'), 'utf8'));
    expect(list.map(({ id }: { id: string }) => id)).toContain(snapshot);
    // A file alone is missing: the rest of the release is no reason not to send it.
    const { snapshot: newest } = manifest.ledger;
    const kept = await readFile(join(b.out, 'snapshots', newest, 'index.json'), 'utf8');
    const own = manifest.files.find(({ sha256 }) => !kept.includes(sha256))!;
    const key = [...store.objects.keys()].find((name) => name.endsWith(`blobs/${own.sha256}`));
    store.objects.delete(key!);
    const late = machineIn(await temporaryFolder(), 'c', ledgers[2]!);
    await copyKeys(b, late);
    await expect(runMachine(late, means)).rejects.toThrow(/release_invalid/);
    const again = await runMachine(late, { ...means, rebuild: true });
    expect(await of.whole()).toBe(again.manifest.signed!.version);
  });

  /** Starts a run in a process of its own. */
  function startRun(
    { address, bucket }: Service,
    machine: Machine,
    { clockMs = 0 } = {},
  ): { child: ChildProcess; ended: Promise<Record<string, string>> } {
    const given = { machine, address, bucket, clockMs } satisfies PublisherProcess;
    const script = join(import.meta.dirname, 'publisher-process.ts');
    const child = spawn(process.execPath, [script, JSON.stringify(given)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = text(child.stdout!).then((line) => JSON.parse(line || '{}'));
    return { child, ended };
  }

  /** Resolves when the run of a process is about to get the answer to a call, which it then gets `pauseMs` later. */
  function pausedAt(isCall: (call: S3Call) => boolean, pauseMs: number): Promise<void> {
    return new Promise((resolve) => {
      let isMet = false;
      store.plan = (call) => {
        if (isMet || !isCall(call)) return null;
        isMet = true;
        resolve();
        return { pauseMs };
      };
    });
  }

  test('reject what a publisher does that was paused until another one took its turn', async () => {
    const of = await service();
    const [a, b] = of.machines;
    await runMachine(a, await of.connect());
    await copyKeys(a, b);
    // The release is complete in the bucket, except for its own manifest, which goes last.
    const isLast = ({ method, key }: S3Call) => method === 'PUT' && key.startsWith('manifests/');
    const reached = pausedAt(isLast, 200);
    const late = startRun(of, { ...a, ledger: ledgers[1]! });
    await reached;
    late.child.kill('SIGSTOP');
    const next = await of.connect();
    await expire(next);
    const { manifest } = await runMachine({ ...b, ledger: ledgers[2]! }, next);
    late.child.kill('SIGCONT');
    expect(await late.ended).toEqual({
      error: expect.stringMatching(/hold it in epoch 2 .*epoch 3 \(locked\)/),
    });
    expect(of.pointer()).toMatchObject({ release: manifest.release, epoch: 3 });
    expect(await of.whole()).toBe(manifest.signed!.version);
    // Its machine takes what the other one published.
    const again = await runMachine({ ...a, ledger: ledgers[2]! }, await of.connect());
    expect([again.outcome, again.manifest.release]).toEqual(['unchanged', manifest.release]);
  });

  sweep('agree on the time, whatever the clocks of their machines say', async () => {
    const of = await service();
    const [a, b] = of.machines;
    const hour = 3_600_000;
    const { expires } = await startRun(of, a, { clockMs: hour }).ended;
    await copyKeys(a, b);
    const switchAt = Date.parse(of.pointer()!.switch_at);
    expect(Math.abs(switchAt - Date.now())).toBeLessThan(hour / 2);
    expect(await startRun(of, b, { clockMs: -hour }).ended).toEqual({ outcome: 'unchanged', expires });
  });

  const newestOf = async (ledger: string) => (await openDirectory(ledger).snapshots(null)).at(-1)!.id;

  /** What the calls of a run change, each with a place and a number among all calls. */
  type Kill = { at: number; when: 'before' | 'after' };

  /** Lets all calls from one on fail, as those of a process that was killed: none of its work is done or undone afterwards. */
  function mortal({ database, objects }: Means, kill: Kill | null): { means: Means; calls: string[] } {
    const calls: string[] = [];
    const begin = (what: string): number => {
      // How often the lease is renewed depends on how fast this machine is.
      if (!what.startsWith('UPDATE cathedral.leases') || (kill && calls.length >= kill.at)) calls.push(what);
      const number = calls.length;
      if (kill && (number > kill.at || (number === kill.at && kill.when === 'before')))
        throw new Error('killed');
      return number;
    };
    const end = (number: number): void => {
      if (number === kill?.at) throw new Error('killed');
    };
    const through = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
      const number = begin(what);
      const result = await call();
      end(number);
      return result;
    };
    const query: Means['database']['query'] = (sql, values) =>
      through(kindOf(sql), () => database.query(sql, values));
    const transaction: Means['database']['transaction'] = async (work) => {
      let commit = 0;
      const result = await database.transaction(async (inner) => {
        const done = await work((sql, values) => through(kindOf(sql), () => inner(sql, values)));
        commit = begin('COMMIT');
        return done;
      });
      end(commit);
      return result;
    };
    const means: Means = {
      database: {
        ...database,
        name: database.name,
        query,
        transaction,
        check: () => database.check(),
        scrub: () => database.scrub(),
        clock: () => database.clock(),
        listen: () => () => {},
        close: async () => {},
      },
      objects: {
        name: objects.name,
        conditions: objects.conditions,
        put: (key, ...rest) => through(`PUT ${folderOf(key)}`, () => objects.put(key, ...rest)),
        get: (...given) => through('GET', () => objects.get(...given)),
        read: (...given) => through('GET', () => objects.read(...given)),
        head: (key) => through('GET', () => objects.head(key)),
        list: (prefix) => objects.list(prefix),
        close: () => {},
        delete: (keys) => through('DELETE', () => objects.delete(keys)),
      },
    };
    return { means, calls };
  }

  const kindOf = (sql: string) => sql.trim().replaceAll(/\s+/g, ' ').slice(0, 60);
  const folderOf = (key: string) => key.replace(/(?<=\/).*/, '');

  /** After the last call of each verb that changes something; in `npm run faults`, before and after every call. */
  function killsOf(calls: readonly string[], kinds: RegExp): Kill[] {
    const all = calls.map((what, index) => ({ what, at: index + 1 }));
    const changing = all.filter(({ what }) => kinds.test(what));
    if (isLongSweep)
      return all.flatMap(({ at }) => [{ at, when: 'before' } as const, { at, when: 'after' } as const]);
    return [...Map.groupBy(changing, ({ what }) => what.split(' ')[0]).values()].map((of) => ({
      at: of.at(-1)!.at,
      when: 'after',
    }));
  }

  async function killed(
    of: Service,
    kill: Kill | null,
    lengths: readonly [number, number],
  ): Promise<string[]> {
    const [a, b] = of.machines;
    const first = await of.connect();
    if (lengths[0] > 0) {
      await runMachine({ ...a, ledger: ledgers[lengths[0] - 1]! }, first);
      await copyKeys(a, b);
    }
    const { means, calls } = mortal(first, kill);
    const run = runMachine({ ...a, ledger: ledgers[lengths[1] - 1]! }, means);
    // The last calls of a run may fail without a trace.
    const end = await run.catch((error: Error) => error);
    if (!kill) expect(end).not.toBeInstanceOf(Error);
    else expect(calls.length, String(end)).toBeGreaterThanOrEqual(kill.at);
    await expire(first);
    await copyKeys(a, b);
    return calls;
  }

  test.each(
    few([
      ['the first release', [0, 1], /^(UPDATE cathedral.signing|PUT manifests)/],
      ['a release and the snapshot of a slot that was missed', [1, 3], /^(INSERT|UPDATE|COMMIT|PUT|DELETE)/],
    ] as const),
  )(
    'finish %s after the one that made it was killed at any call',
    { timeout: isLongSweep ? 8 * 3_600_000 : 900_000 },
    async (_, lengths, kinds) => {
      const calls = await killed(await service(), null, lengths);
      const ledger = ledgers[lengths[1] - 1]!;
      for (const kill of killsOf(calls, kinds)) {
        const of = await service();
        await killed(of, kill, lengths);
        const [a, b] = of.machines;
        const what = `killed ${kill.when} call ${kill.at}, ${calls[kill.at - 1]}`;
        const { manifest } = await runMachine({ ...b, ledger }, await of.connect());
        expect([what, manifest.ledger.snapshot]).toEqual([what, await newestOf(ledger)]);
        expect([what, await of.whole()]).toEqual([what, manifest.signed!.version]);
        if (isLongSweep) {
          await copyKeys(b, a);
          const again = await runMachine({ ...a, ledger }, await of.connect());
          expect([what, again.outcome, again.manifest]).toEqual([what, 'unchanged', manifest]);
        }
        await of.end();
      }
    },
  );
});
