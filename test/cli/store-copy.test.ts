import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storeFiles } from '../../pipeline/config/store-place.ts';
import { openDatabase } from '../../pipeline/postgres/database.ts';
import { readLog } from '../../src/sidecar/access-log/log-reader.ts';
import type { NewKey } from '../../src/sidecar/keys/key-store.ts';
import { keyStoreIn, openKeyStore } from '../../src/sidecar/keys/key-store.ts';
import { countStoreIn, openCountStore } from '../../src/sidecar/limits/count-store.ts';
import { RunningCli, runHere } from '../contract/commands/seam.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { useStore } from '../setups/use-store.ts';
import { entriesOf } from '../sidecar/access-log/entries-of.ts';
import { expired, openFolderLog, useLog } from '../sidecar/access-log/open-temporary-log.ts';
import { START, sampleAccess } from '../sidecar/access-log/sample-access.ts';

const postgres = useStore();

const NOW = Date.now();
const TODAY = new Date(NOW).toISOString().slice(0, 10);
const RECORD = {
  format: 'cathedral-signed/1',
  services: {
    'https://data.example.org': {
      out: '/srv/cathedral',
      version: 7,
      release: '2025-12-01T06Z-0123456789ab',
      sha256: 'a'.repeat(64),
      as_of: '2025-12-01T05:59:00Z',
      ledger: { origin: 'ledger.example.org', size: 12, root: 'root' },
      snapshots: { '2025-12-01T06Z': 'b'.repeat(64) },
      lost: {},
    },
  },
  replaced: [],
};

type Files = Awaited<ReturnType<typeof emptyFiles>>;

/** The stores of one machine, as settings. */
async function emptyFiles() {
  const folder = await temporaryFolder();
  const env = {
    CATHEDRAL_STORE: folder,
    CATHEDRAL_PUBLISHER_KEY: join(folder, 'publisher.key'),
  };
  return { env, record: join(folder, 'publisher.key.signed/record.json') };
}

const logIn = ({ CATHEDRAL_STORE }: Files['env']) => dirname(storeFiles(CATHEDRAL_STORE).accessLog);

function newKey(index: number, changes: Partial<NewKey> = {}): NewKey {
  return {
    id: `k_${index}`,
    holder: `h_${index % 2}`,
    email: `ada${index % 2}@institute.example`,
    hash: `${index}`.repeat(64),
    prefix: 'cds_economy_Ab3d',
    tier: 'economist',
    areas: ['economy'],
    name: 'Ada "Quill", {x}',
    affiliation: 'Institut für\nMaße',
    purpose: '\\N',
    volume: null,
    basis: 'letter',
    issued_at: START + index,
    expires_at: START + 1e10,
    delivered_at: null,
    replaces: null,
    ...changes,
  };
}

/** Keys, counts, a log from which entries have expired, and a record. */
async function filledFiles(entries = 700) {
  const files = await emptyFiles();
  const { env } = files;
  const keys = await openKeyStore(storeFiles(env.CATHEDRAL_STORE).keys);
  // The successor comes before the key that it replaces in any order of ids.
  for (const key of [newKey(9), newKey(1, { replaces: 'k_9' }), newKey(2)]) await keys.addKey(key);
  await keys.activateKey('k_9', START, START);
  await keys.revokeKey('k_2', START, 'The holder left.');
  const code = { id: 'v_1', email: 'ada1@institute.example', code_hash: 'c'.repeat(64), created_at: START };
  const quota = { since: START, perAddress: 9, total: 9 };
  await keys.addVerification({ ...code, expires_at: START + 1_000 }, quota);
  await keys.tryCode(code.email, code.code_hash, START, 3);
  await keys.close();
  const counts = await openCountStore(storeFiles(env.CATHEDRAL_STORE).counts);
  const take = { area: 'economy', subject: 'holder:h_1', limit: 100 } as const;
  await counts.takeAll([
    { day: TODAY, ...take },
    { day: TODAY, ...take },
    { day: '2025-12-01', ...take },
  ]);
  await counts.secret(TODAY, new Uint8Array(32).fill(200));
  await counts.close();
  await append(logIn(env), 0, entries);
  await expired(logIn(env), START + 5_000, NOW);
  await expired(logIn(env), START + 10_000, NOW);
  await mkdir(join(files.record, '..'));
  await writeFile(files.record, `${JSON.stringify(RECORD, null, 2)}\n`);
  return files;
}

async function append(dir: string, from: number, count: number): Promise<void> {
  const log = openFolderLog(dir);
  const all = Array.from({ length: count }, (_, at) => log.append(sampleAccess(from + at)));
  await Promise.all(all);
  await log.close();
}

interface Part {
  part: string;
  rows: Record<string, number>;
  digest: string;
  copied: boolean;
}

describe.skipIf(postgres.isMissing)('store copy', () => {
  /** Those of a machine, or an address. */
  const between = (from: string, to: string, env: Files['env']) =>
    ['--from', from, '--to', to].map((word) => (word === 'files' ? env.CATHEDRAL_STORE : word));

  async function copied(from: string, to: string, env: Files['env']): Promise<Part[]> {
    const { status, stdout, stderr } = await runHere('store copy', [...between(from, to, env), '--json'], {
      env,
      now: () => NOW,
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    return JSON.parse(stdout);
  }

  async function refused(from: string, to: string, env: Files['env']): Promise<string> {
    const { status, stderr } = await runHere('store copy', between(from, to, env), { env });
    expect(status).not.toBe(0);
    return stderr;
  }

  const connect = async (address: string, application = 'test') => {
    const database = await openDatabase(address, { application, connections: 2 });
    onTestFinished(() => database.close());
    return database;
  };

  test('there and back gives the same content, and again copies nothing', async () => {
    const [there, back] = [await filledFiles(), await emptyFiles()];
    const address = await postgres.newDatabase();
    const parts = await copied('files', address, there.env);
    expect(parts).toMatchObject([
      { part: 'API keys', rows: { holders: 2, keys: 3, verifications: 1 }, copied: true },
      { part: 'counts of today', rows: { counts: 1, count_secrets: 1 }, copied: true },
      { part: 'access log', rows: { entries: 690, removals: 2 }, copied: true },
      { part: 'signing record', rows: { services: 1 }, copied: true },
    ]);
    const same = parts.map((part) => ({ ...part, copied: false }));
    expect(await copied('files', address, there.env)).toEqual(same);
    expect(await copied(address, 'files', back.env)).toEqual(parts);
    expect(await copied(address, 'files', back.env)).toEqual(same);

    const database = await connect(address);
    const [original, copy] = await Promise.all(
      [there.env, back.env].map(({ CATHEDRAL_STORE }) => openKeyStore(storeFiles(CATHEDRAL_STORE).keys)),
    );
    const keys = await original!.keys();
    expect(keys).toHaveLength(3);
    for (const store of [keyStoreIn(database), copy!]) {
      expect(await store.keys()).toEqual(keys);
      expect(await store.verifiedAt('ada1@institute.example')).toBe(START);
    }
    await Promise.all([original!.close(), copy!.close()]);
    const take = { day: TODAY, area: 'economy', subject: 'holder:h_1', limit: 3 } as const;
    const counts = await openCountStore(storeFiles(back.env.CATHEDRAL_STORE).counts);
    for (const store of [countStoreIn(database), counts]) {
      expect(await store.takeAll([take, take])).toEqual([3, null]);
      expect(await store.secret(TODAY, new Uint8Array(32))).toEqual(new Uint8Array(32).fill(200));
    }
    await counts.close();
    const entries = await entriesIn(logIn(there.env));
    expect(await entriesOf(readLog(database))).toEqual(entries);
    expect(await entriesIn(logIn(back.env))).toEqual(entries);
    await append(logIn(back.env), 700, 1);
    expect(await readFile(back.record, 'utf8')).toBe(await readFile(there.record, 'utf8'));
  });

  test('of a log whose entries have all expired goes on with the same chain', async () => {
    const [there, back] = [await filledFiles(20), await emptyFiles()];
    await expired(logIn(there.env), START + 1e9, NOW);
    const address = await postgres.newDatabase();
    expect((await copied('files', address, there.env))[2]).toMatchObject({
      rows: { entries: 0, removals: 3 },
    });
    await copied(address, 'files', back.env);
    await append(logIn(back.env), 20, 1);
    expect(await entriesIn(logIn(back.env))).toMatchObject([{ seq: 20 }]);
  });

  test.each([
    ['other keys', (files: Files) => addKey(storeFiles(files.env.CATHEDRAL_STORE).keys)],
    ['other entries', ({ env }: Files) => append(logIn(env), 5, 3)],
    [
      'another signing record',
      async ({ record }: Files) => {
        await mkdir(join(record, '..'));
        await writeFile(record, JSON.stringify({ ...RECORD, replaced: ['another'] }));
      },
    ],
  ])('is refused by a destination with %s, which stays as it is', async (_, fill) => {
    const [there, other] = [await filledFiles(20), await emptyFiles()];
    const address = await postgres.newDatabase();
    await copied('files', address, there.env);
    await fill(other);
    const before = await contentOf(other);
    expect(await refused(address, 'files', other.env)).toMatch(/\(store_failed\)\n$/);
    const after = await contentOf(other);
    for (const [part, content] of Object.entries(before))
      if (content.length > 0) expect(after).toMatchObject({ [part]: content });
  });

  test('is refused while a server uses one of the sides, or a publisher holds the lease', async () => {
    const there = await filledFiles(20);
    const address = await postgres.newDatabase();
    const log = openFolderLog(logIn(there.env));
    await log.check();
    expect(await refused('files', address, there.env)).toContain('a server that has it open (locked)');
    await log.close();
    const session = await connect(address, 'cathedral server');
    expect(await refused('files', address, there.env)).toContain('found cathedral server (locked)');
    await session.close();
    const database = await connect(address);
    await database.query(
      "INSERT INTO cathedral.leases VALUES ('publisher', 'publisher-1', 't', 1, now() + interval '1 hour')",
    );
    expect(await refused('files', address, there.env)).toContain('publisher-1, epoch 1 (locked)');
    const { rows } = await database.query('SELECT FROM cathedral.keys');
    expect(rows).toEqual([]);
  });

  test('that is killed half-way leaves whole parts, and is completed by the next one', async () => {
    const [there, back] = [await filledFiles(100), await emptyFiles()];
    const address = await postgres.newDatabase();
    const database = await connect(address);
    /** Returns whether the counts of today were copied: not at midnight, since the process has a clock of its own. */
    const killedAt = async (args: string[], env: Files['env']) => {
      // Of the test's own: it waits for a process, which takes longer than the service lets a transaction wait.
      const holder = new pg.Client(address);
      await holder.connect();
      try {
        const mode = args[0] === 'files' ? 'EXCLUSIVE' : 'ACCESS EXCLUSIVE';
        await holder.query(`BEGIN; LOCK TABLE cathedral.access_log_entries IN ${mode} MODE`);
        const cli = new RunningCli(['store', 'copy', ...between(args[0]!, args[1]!, env)], env);
        const [, counts] = await cli.printed(/counts of today: (copied|the same)/);
        process.kill(cli.child.pid!, 'SIGKILL');
        expect(await cli.finished()).toMatchObject({ signal: 'SIGKILL' });
        return counts === 'copied';
      } finally {
        await holder.end();
      }
    };
    const isThere = await killedAt(['files', address], there.env);
    expect(await entriesOf(readLog(database))).toEqual([]);
    expect(await keyStoreIn(database).keys()).toHaveLength(3);
    // The server notices that the connection of the killed one ended, and its lease lasts on.
    await database.query("UPDATE cathedral.leases SET expires_at = '-infinity'");
    expect((await copied('files', address, there.env)).map((part) => part.copied)).toEqual([
      false,
      !isThere,
      true,
      true,
    ]);
    const isBack = await killedAt([address, 'files'], back.env);
    expect(existsSync(logIn(back.env))).toBe(false);
    await database.query("UPDATE cathedral.leases SET expires_at = '-infinity'");
    expect((await copied(address, 'files', back.env)).map((part) => part.copied)).toEqual([
      false,
      !isBack,
      true,
      true,
    ]);
  });
});

const entriesIn = (dir: string) => useLog(dir, (store) => entriesOf(readLog(store)));

async function addKey(path: string): Promise<void> {
  const keys = await openKeyStore(path);
  await keys.addKey(newKey(5));
  await keys.close();
}

async function contentOf({ env, record }: Files) {
  const keys = existsSync(storeFiles(env.CATHEDRAL_STORE).keys)
    ? await openKeyStore(storeFiles(env.CATHEDRAL_STORE).keys)
    : null;
  const content = {
    keys: (await keys?.keys()) ?? [],
    entries: existsSync(logIn(env)) ? await entriesIn(logIn(env)) : [],
    record: existsSync(record) ? await readFile(record, 'utf8') : '',
  };
  await keys?.close();
  return content;
}
