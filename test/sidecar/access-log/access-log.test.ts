import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Access, Entry } from '../../../src/sidecar/access-log/entry.ts';
import { expireEntries } from '../../../src/sidecar/access-log/expire-entries.ts';
import { exportAccessLog } from '../../../src/sidecar/access-log/export-access-log.ts';
import { openFolderAccessLog } from '../../../src/sidecar/access-log/folder-access-log.ts';
import { CURRENT, listArchives, readLogFolder } from '../../../src/sidecar/access-log/log-files.ts';
import { Refusals } from '../../../src/sidecar/access-log/refusals.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { openTemporaryLog, SMALL_FILE, writtenLog } from './open-temporary-log.ts';
import { START, sampleAccess } from './sample-access.ts';

function rowsOf(dir: string, name = CURRENT): Entry[] {
  const database = new DatabaseSync(join(dir, name), { readOnly: true });
  try {
    return database.prepare('SELECT * FROM entries ORDER BY seq').all() as unknown as Entry[];
  } finally {
    database.close();
  }
}

describe('an access log', () => {
  test('is for its owner only', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    for (const name of [CURRENT, `${CURRENT}-wal`]) expect(statSync(join(dir, name)).mode & 0o077).toBe(0);
  });

  test('rejects what it cannot write, says so, and recovers with the disk', async () => {
    const { dir, log } = await openTemporaryLog({}, openFolderAccessLog);
    await log.append(sampleAccess(0));
    const blocker = new DatabaseSync(join(dir, CURRENT));
    blocker.exec('BEGIN IMMEDIATE');
    const failures = await Promise.all(
      [1, 2].map((index) => failureOf(() => log.append(sampleAccess(index)))),
    );
    failures.push(await failureOf(() => log.check()));
    for (const failure of failures) expect(failure).toMatchObject({ code: 'store_failed' });
    blocker.exec('ROLLBACK');
    blocker.close();
    await log.append(sampleAccess(3));
    expect(rowsOf(dir).map(({ request_id }) => request_id)).toEqual(['request-0', 'request-3']);
    expect((await verifyAccessLog(readLogFolder(dir))).faults).toEqual([]);
  });
});

describe('refused requests', () => {
  const refused = (index: number, changes: Partial<Access> = {}) =>
    sampleAccess(index, { isRefused: true, status: 401, ...changes });

  test('of any number of networks take a bounded part of the disk', async () => {
    const { dir, log } = await openTemporaryLog({ refusals: { perNetwork: 10, inAll: 20 } });
    const long = { path: `/government/${'x'.repeat(8_000)}`, query: 'y'.repeat(8_000) };
    const attack = Array.from({ length: 500 }, (_, index) =>
      refused(index, { ...long, client: `10.0.0.${index % 250}` }),
    );
    await Promise.all(attack.map((access) => log.append(access)));
    await log.close();
    const rows = rowsOf(dir);
    expect(rows).toHaveLength(21);
    expect(rows.at(-1)).toMatchObject({
      path: '*',
      query: expect.stringContaining('refused=480&'),
      client: '*',
    });
    expect(Math.max(...rows.map((row) => JSON.stringify(row).length))).toBeLessThan(1_000);
  });

  test('that were counted are not lost where their number cannot be written at once', () => {
    const refusals = new Refusals({ perNetwork: 0, inAll: 0 });
    for (const index of [0, 1, 2]) expect(refusals.take(refused(index))).toBe(false);
    refusals.takeSum()!.giveBack();
    refusals.take(refused(3));
    expect(refusals.takeSum()!.access.query).toBe('refused=4&since=2025-12-01T06:00:00.000Z');
    expect(refusals.takeSum()).toBeNull();
  });
});

describe('a log whose files are taken away while it is written', () => {
  const aside = (path: string) => renameSync(path, `${path}.aside`);
  const back = (path: string) => renameSync(`${path}.aside`, path);

  test.each([
    ['its folder', ''],
    ['the file that is written', CURRENT],
    ['its head record', 'head'],
  ])('(%s) takes no entry, makes nothing, and goes on when they are back', async (_, name) => {
    const faults: unknown[] = [];
    const { dir, log } = await openTemporaryLog({ onChange: (fault) => faults.push(fault) });
    await log.append(sampleAccess(0));
    aside(join(dir, name));
    const before = existsSync(dir) && readdirSync(dir);
    for (const attempt of [
      () => log.append(sampleAccess(1)),
      () => log.check(),
      () => log.append(sampleAccess(2)),
    ])
      expect(await failureOf(attempt)).toMatchObject({
        code: expect.stringMatching(/^(store_failed|access_log_broken)$/),
      });
    if (name === '') expect(existsSync(dir)).toBe(before);
    rmSync(join(dir, name), { force: true });
    back(join(dir, name));
    await log.append(sampleAccess(3));
    expect(faults.at(-1)).toBeNull();
    expect(rowsOf(dir).map(({ request_id }) => request_id)).toEqual(['request-0', 'request-3']);
    expect((await verifyAccessLog(readLogFolder(dir))).faults).toEqual([]);
  });

  test.each([
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['an older copy', (path: string) => renameSync(`${path}.copy`, path)],
    ['nothing, beside an archive,', () => undefined],
  ])('(the file that is written, %s in its place) loses nothing', async (_, put) => {
    const dir = await writtenLog(400, { maxFileBytes: SMALL_FILE });
    const { log } = await openTemporaryLog({ dir });
    const path = join(dir, CURRENT);
    cpSync(path, `${path}.copy`);
    for (const index of [400, 401]) await log.append(sampleAccess(index));
    aside(path);
    put(path);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await failureOf(() => log.append(sampleAccess(402)))).not.toBeNull();
    back(path);
    await log.append(sampleAccess(403));
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 403 });
  });

  test('(the file that is written, after a kill) is not begun anew beside what was written to it last', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    const killed = `${dir}.killed`;
    cpSync(dir, killed, { recursive: true });
    const path = join(killed, CURRENT);
    aside(path);
    expect(await failureOf(() => openTemporaryLog({ dir: killed }))).toMatchObject({ code: 'store_failed' });
    back(path);
    await openTemporaryLog({ dir: killed });
    expect(await verifyAccessLog(readLogFolder(killed))).toMatchObject({ faults: [], entries: 1 });
  });

  test('(its write-ahead log) loses nothing', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    rmSync(join(dir, `${CURRENT}-wal`));
    expect(await failureOf(() => log.append(sampleAccess(1)))).toMatchObject({ code: 'store_failed' });
    await log.append(sampleAccess(2));
    await log.close();
    expect(rowsOf(dir).map(({ request_id }) => request_id)).toEqual(['request-0', 'request-2']);
  });

  test('(its lock, which another server then takes) is written by that one alone', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    rmSync(join(dir, 'writer.lock'));
    const other = await openTemporaryLog({ dir });
    expect(await failureOf(() => log.append(sampleAccess(1)))).toMatchObject({ code: 'store_failed' });
    await other.log.append(sampleAccess(2));
    expect(await failureOf(() => log.append(sampleAccess(3)))).toMatchObject({ code: 'locked' });
    await other.log.close();
    await log.append(sampleAccess(4));
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 3 });
  });

  test.each([
    ['an empty folder', (dir: string) => mkdirSync(dir)],
    ['an older copy', (dir: string) => renameSync(`${dir}.copy`, dir)],
  ])('is not begun anew in %s', async (_, put) => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    cpSync(dir, `${dir}.copy`, { recursive: true });
    await log.append(sampleAccess(1));
    aside(dir);
    put(dir);
    await failureOf(() => log.append(sampleAccess(2)));
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await failureOf(() => log.append(sampleAccess(3)))).toMatchObject({ code: 'access_log_broken' });
    rmSync(dir, { recursive: true });
    back(dir);
    await log.append(sampleAccess(4));
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 3 });
  });

  test('is written from when on it can be, where it could not at first', async () => {
    const dir = join(await temporaryFolder(), 'not-yet', 'access-log');
    writeFileSync(dirname(dir), '');
    const faults: unknown[] = [];
    const open = () => openFolderAccessLog({ dir, waitMs: 0, onChange: (fault) => faults.push(fault) });
    const [log, other] = [open(), open()];
    onTestFinished(() => log.close());
    const fault = { code: 'store_failed' };
    expect(await failureOf(() => other.check())).toMatchObject(fault);
    await other.close();
    expect(faults).toMatchObject([fault]);
    for (const index of [0, 1])
      expect(await failureOf(() => log.append(sampleAccess(index)))).toMatchObject(fault);
    rmSync(dirname(dir));
    await log.append(sampleAccess(2));
    expect(faults).toMatchObject([fault, fault, null]);
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 1 });
  });
});

describe('a log that lost its end', () => {
  test.each([
    [
      'its last entry',
      (dir: string) => new DatabaseSync(join(dir, CURRENT)).exec('DELETE FROM entries WHERE seq = 4'),
    ],
    ['its current file', (dir: string) => rmSync(join(dir, CURRENT))],
    ['its head record', (dir: string) => rmSync(join(dir, 'head'))],
    ['the form of its head record', (dir: string) => writeFileSync(join(dir, 'head'), 'x')],
    [
      'the hash of its last entry',
      (dir: string) =>
        new DatabaseSync(join(dir, CURRENT)).exec("UPDATE entries SET hash = 'x' WHERE seq = 4"),
    ],
  ])('(%s) is not written to', async (_, damage) => {
    const dir = await writtenLog(5);
    damage(dir);
    expect(await failureOf(() => openTemporaryLog({ dir }))).toMatchObject({ code: 'access_log_broken' });
    // And still not at the second attempt.
    expect(await failureOf(() => openTemporaryLog({ dir }))).toMatchObject({ code: 'access_log_broken' });
  });
});

test('a log whose last archive is gone, or another one, is not written to', async () => {
  const dir = await writtenLog(900, { maxFileBytes: SMALL_FILE });
  const [first, last] = [listArchives(dir)[0]!, listArchives(dir).at(-1)!];
  renameSync(join(dir, last.name), join(dir, 'aside'));
  expect(await failureOf(() => openTemporaryLog({ dir }))).toMatchObject({ code: 'access_log_broken' });
  renameSync(join(dir, first.name), join(dir, last.name));
  expect(await failureOf(() => openTemporaryLog({ dir }))).toMatchObject({ code: 'access_log_broken' });
  renameSync(join(dir, last.name), join(dir, first.name));
  renameSync(join(dir, 'aside'), join(dir, last.name));
  await writtenLog(1, { dir });
  expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 901 });
});

describe('rotation', () => {
  test('names archives by what is in them and goes on with the chain', async () => {
    const dir = await writtenLog(900, { maxFileBytes: SMALL_FILE });
    const archives = listArchives(dir);
    expect(archives.length).toBeGreaterThan(2);
    let next = 0;
    let hash = '0'.repeat(64);
    for (const { name, first, last } of [...archives, { name: CURRENT, first: -1, last: -1 }]) {
      const rows = rowsOf(dir, name);
      if (name !== CURRENT) expect([rows[0]?.seq, rows.at(-1)?.seq]).toEqual([first, last]);
      expect(rows[0]).toMatchObject({ seq: next, prev_hash: hash });
      next = rows.at(-1)!.seq + 1;
      hash = rows.at(-1)!.hash;
    }
    expect(next).toBe(900);
    expect(archives[0]!.name).toMatch(/^access-000000000000-0000000\d{5}\.db$/);
    expect(statSync(join(dir, archives[0]!.name)).mode & 0o777).toBe(0o400);
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 900 });
  });

  test('waits for a reader of the current file', async () => {
    const { dir, log } = await openTemporaryLog({ maxFileBytes: SMALL_FILE });
    await log.append(sampleAccess(0));
    const reader = new DatabaseSync(join(dir, CURRENT), { readOnly: true });
    reader.prepare('SELECT count(*) FROM entries').get();
    const fill = async (from: number) => {
      for (let index = from; index < from + 20; index += 1)
        await Promise.all(Array.from({ length: 30 }, () => log.append(sampleAccess(index))));
    };
    await fill(1);
    expect(listArchives(dir)).toEqual([]);
    reader.close();
    for (let from = 100; listArchives(dir).length === 0; from += 100) await fill(from);
    expect((await verifyAccessLog(readLogFolder(dir))).faults).toEqual([]);
  });

  test('that was cut off before the new file was made is finished at the next start', async () => {
    const dir = await writtenLog(10);
    // A kill right after the renaming.
    chmodSync(join(dir, CURRENT), 0o600);
    const database = new DatabaseSync(join(dir, CURRENT));
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
    renameSync(join(dir, CURRENT), join(dir, 'access-000000000000-000000000009.db'));
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 10 });
    await writtenLog(5, { dir });
    expect(rowsOf(dir)[0]).toMatchObject({ seq: 10 });
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 15 });
  });

  test('that was cut off before the renaming is made up for', async () => {
    const dir = await writtenLog(300);
    const database = new DatabaseSync(join(dir, CURRENT));
    database.exec('PRAGMA journal_mode = DELETE');
    database.close();
    await writtenLog(60, { dir, maxFileBytes: SMALL_FILE });
    expect(listArchives(dir)).toHaveLength(1);
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 360 });
  });

  test('that was cut off while the new file was made is finished, too', async () => {
    const dir = await writtenLog(900, { maxFileBytes: SMALL_FILE });
    const last = listArchives(dir).at(-1)!;
    for (const name of [CURRENT, `${CURRENT}-wal`, `${CURRENT}-shm`])
      rmSync(join(dir, name), { force: true });
    writeFileSync(join(dir, CURRENT), '');
    const hash = rowsOf(dir, last.name).at(-1)!.hash;
    writeFileSync(join(dir, 'head'), `${String(last.last).padStart(15, '0')} ${hash}\n`);
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: last.last + 1 });
    await writtenLog(1, { dir });
    expect(rowsOf(dir)[0]).toMatchObject({ seq: last.last + 1, prev_hash: hash });
  });
});

describe('the removal of old entries', () => {
  const NOW = Date.parse('2026-01-02T03:04:05Z');
  const at = (seq: number) => START + seq * 1_000;

  test('leaves no trace of them in the folder, while a server writes', async () => {
    const { dir, log } = await openTemporaryLog({}, openFolderAccessLog);
    await log.append(sampleAccess(0, { holder: 'find-me' }));
    await log.append(sampleAccess(1));
    const bytes = () => Buffer.concat(readdirSync(dir).map((name) => readFileSync(join(dir, name))));
    expect(bytes().includes('find-me')).toBe(true);
    const [expired] = await Promise.all([
      expireEntries(dir, at(1), NOW),
      ...Array.from({ length: 20 }, (_, index) => log.append(sampleAccess(index + 2))),
    ]);
    expect(expired).toEqual({ removed: { first: 0, last: 0 }, left: 0 });
    await log.append(sampleAccess(22));
    expect(bytes().includes('find-me')).toBe(false);
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 22 });
    await expireEntries(dir, Infinity, NOW);
    await log.append(sampleAccess(23));
    await log.close();
    await writtenLog(1, { dir });
    expect(rowsOf(dir).map(({ seq }) => seq)).toEqual([23, 24]);
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 2 });
  });

  test('that was cut off before they went counts as done, and is finished', async () => {
    const dir = await writtenLog(900, { maxFileBytes: SMALL_FILE });
    const last = rowsOf(dir)[2]!;
    const record = JSON.stringify({ seq: last.seq, hash: last.hash, removals: [] });
    writeFileSync(join(dir, 'beginning.json'), record);
    const left = 900 - last.seq - 1;
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: left });
    await writtenLog(1, { dir });
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: left + 1 });
    expect(await expireEntries(dir, START, NOW)).toEqual({ removed: null, left: 0 });
    expect(listArchives(dir)).toEqual([]);
    expect(rowsOf(dir)[0]).toMatchObject({ seq: last.seq + 1 });
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: left + 1 });
  });

  test('stops at a newer one, and says how many older ones stand after it', async () => {
    const { dir, log } = await openTemporaryLog();
    for (const second of [0, 500, 1, 2]) await log.append(sampleAccess(second));
    expect(await expireEntries(dir, at(100), NOW)).toEqual({ removed: { first: 0, last: 0 }, left: 2 });
    expect(await expireEntries(dir, at(501), NOW)).toEqual({ removed: { first: 1, last: 3 }, left: 0 });
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 0 });
  });
});

describe('a log whose writer was killed', () => {
  /** As it is on the disk after a kill with a transaction under way: the files, copied while they are open. */
  function killed(dir: string, name: string, change: (database: DatabaseSync) => void): string {
    const copy = `${dir}.killed`;
    const database = new DatabaseSync(join(dir, name));
    change(database);
    cpSync(dir, copy, { recursive: true });
    database.close();
    return copy;
  }
  const rowsWritten = (database: DatabaseSync) => {
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN IMMEDIATE');
    // More than the cache holds, so that the file itself is changed before the end of the transaction.
    database.exec("UPDATE entries SET path = path || 'x', client = client || 'x'");
  };
  const namesAndSizes = (dir: string) =>
    readdirSync(dir).map((name) => [name, statSync(join(dir, name)).size, statSync(join(dir, name)).mtimeMs]);

  test.each([
    ['in the middle of a change of its file', CURRENT, rowsWritten, 300],
    ['in the middle of a change of a full file', 'archive', rowsWritten, 900],
    ['before its write-ahead log was in its file', CURRENT, () => undefined, 300],
    [
      'after its write-ahead log was ended',
      CURRENT,
      (database: DatabaseSync) => database.exec('PRAGMA journal_mode = DELETE'),
      300,
    ],
  ])(
    '%s is verified and exported whole, and nothing is made or changed',
    async (_, file, change, entries) => {
      const dir = await writtenLog(entries, { maxFileBytes: entries > 300 ? SMALL_FILE : 2 ** 30 });
      const name = file === CURRENT ? CURRENT : listArchives(dir)[0]!.name;
      chmodSync(join(dir, name), 0o600);
      const copy = killed(dir, name, change);
      const before = namesAndSizes(copy);
      expect(await verifyAccessLog(readLogFolder(copy))).toMatchObject({ faults: [], entries });
      let exported = 0;
      const all = { from: 0, to: Infinity, format: 'ndjson' } as const;
      for await (const text of exportAccessLog(readLogFolder(copy), all))
        exported += text.split('\n').length - 1;
      expect(exported).toBe(entries);
      expect(namesAndSizes(copy)).toEqual(before);
      await writtenLog(1, { dir: copy });
      expect(await verifyAccessLog(readLogFolder(copy))).toMatchObject({ faults: [], entries: entries + 1 });
    },
  );

  test('and whose server ended in order: reading makes nothing beside its file', async () => {
    const dir = await writtenLog(3);
    const before = namesAndSizes(dir);
    expect(await verifyAccessLog(readLogFolder(dir))).toMatchObject({ faults: [], entries: 3 });
    expect(namesAndSizes(dir)).toEqual(before);
  });
});
