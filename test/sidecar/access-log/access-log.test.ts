import {
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
import type { Access } from '../../../src/sidecar/access-log/entry.ts';
import { Refusals } from '../../../src/sidecar/access-log/refusals.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import {
  expired,
  logFile,
  openFolderLog,
  openTemporaryLog,
  rowsOf,
  verified,
  writtenLog,
} from './open-temporary-log.ts';
import { START, sampleAccess } from './sample-access.ts';

const FILE = 'log.db';

describe('an access log', () => {
  test('is for its owner only', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    for (const name of [FILE, `${FILE}-wal`]) expect(statSync(join(dir, name)).mode & 0o077).toBe(0);
  });

  test('rejects what it cannot write, says so, and recovers with the disk', async () => {
    const { dir, log } = await openTemporaryLog({ waitMs: 100 });
    await log.append(sampleAccess(0));
    const blocker = new DatabaseSync(join(dir, FILE));
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
    expect((await verified(dir)).faults).toEqual([]);
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
    const sum = refusals.takeSum()!;
    // Refused while the store was failing.
    refusals.take(refused(3));
    sum.giveBack();
    expect(refusals.takeSum()!.access).toMatchObject({
      query: 'refused=4&since=2025-12-01T06:00:00.000Z',
      time: refused(3).time,
    });
    expect(refusals.takeSum()).toBeNull();
  });
});

describe('a log whose files are taken away while it is written', () => {
  const aside = (path: string) => renameSync(path, `${path}.aside`);
  const back = (path: string) => renameSync(`${path}.aside`, path);

  test.each([
    ['its folder', ''],
    ['its file', FILE],
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
    expect((await verified(dir)).faults).toEqual([]);
  });

  test.each([
    ['an empty file', (path: string) => writeFileSync(path, '')],
    ['an older copy', (path: string) => renameSync(`${path}.copy`, path)],
    ['nothing', () => undefined],
  ])('(its file, %s in its place) loses nothing', async (_, put) => {
    const dir = await writtenLog(400);
    const { log } = await openTemporaryLog({ dir });
    const path = join(dir, FILE);
    cpSync(path, `${path}.copy`);
    for (const index of [400, 401]) await log.append(sampleAccess(index));
    aside(path);
    put(path);
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await failureOf(() => log.append(sampleAccess(402)))).not.toBeNull();
    back(path);
    await log.append(sampleAccess(403));
    expect(await verified(dir)).toMatchObject({ faults: [], entries: 403 });
  });

  test('(its file, after a kill) is not begun anew beside what was written to it last', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    const killed = `${dir}.killed`;
    cpSync(dir, killed, { recursive: true });
    const path = join(killed, FILE);
    aside(path);
    expect(await failureOf(() => openTemporaryLog({ dir: killed }))).toMatchObject({ code: 'store_failed' });
    back(path);
    await openTemporaryLog({ dir: killed });
    expect(await verified(killed)).toMatchObject({ faults: [], entries: 1 });
  });

  test('(its write-ahead log) loses nothing', async () => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    rmSync(join(dir, `${FILE}-wal`));
    await log.append(sampleAccess(1));
    await log.close();
    expect(rowsOf(dir).map(({ request_id }) => request_id)).toEqual(['request-0', 'request-1']);
    expect(await verified(dir)).toMatchObject({ faults: [], entries: 2 });
  });

  test.each([
    ['an empty folder', (dir: string) => mkdirSync(dir), 'store_failed'],
    ['an older copy', (dir: string) => renameSync(`${dir}.copy`, dir), 'access_log_broken'],
  ])('is not begun anew in %s', async (_, put, code) => {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    cpSync(dir, `${dir}.copy`, { recursive: true });
    await log.append(sampleAccess(1));
    aside(dir);
    put(dir);
    await failureOf(() => log.append(sampleAccess(2)));
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await failureOf(() => log.append(sampleAccess(3)))).toMatchObject({ code });
    rmSync(dir, { recursive: true });
    back(dir);
    await log.append(sampleAccess(4));
    expect(await verified(dir)).toMatchObject({ faults: [], entries: 3 });
  });

  test('is written from when on it can be, where it could not at first', async () => {
    const dir = join(await temporaryFolder(), 'not-yet', 'access-log');
    writeFileSync(dirname(dir), '');
    const faults: unknown[] = [];
    const open = () => openFolderLog(dir, { onChange: (fault) => faults.push(fault) });
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
    expect(await verified(dir)).toMatchObject({ faults: [], entries: 1 });
  });
});

describe('the removal of old entries', () => {
  const NOW = Date.parse('2026-01-02T03:04:05Z');
  const at = (seq: number) => START + seq * 1_000;

  test('leaves no trace of them in the folder, while a server writes', async () => {
    const { dir, log } = await openTemporaryLog({ waitMs: 100 });
    await log.append(sampleAccess(0, { holder: 'find-me' }));
    await log.append(sampleAccess(1));
    const bytes = () => Buffer.concat(readdirSync(dir).map((name) => readFileSync(join(dir, name))));
    expect(bytes().includes('find-me')).toBe(true);
    const [result] = await Promise.all([
      expired(dir, at(1), NOW),
      ...Array.from({ length: 20 }, (_, index) => log.append(sampleAccess(index + 2))),
    ]);
    expect(result).toEqual({ removed: { first: 0, last: 0 }, left: 0 });
    await log.append(sampleAccess(22));
    expect(bytes().includes('find-me')).toBe(false);
    expect(await verified(dir)).toMatchObject({ faults: [], entries: 22 });
    await expired(dir, Infinity, NOW);
    await log.append(sampleAccess(23));
    await log.close();
    await writtenLog(1, { dir });
    expect(rowsOf(dir).map(({ seq }) => seq)).toEqual([23, 24]);
    expect(await verified(dir)).toMatchObject({ faults: [], entries: 2 });
  });
});

test('a log whose writer was killed in the middle of a transaction is verified whole, and goes on', async () => {
  const dir = await writtenLog(300);
  const copy = `${dir}.killed`;
  const database = new DatabaseSync(logFile(dir));
  // More than the cache holds, so that the file itself is changed before the end of the transaction.
  database.exec(
    'PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; DROP TRIGGER access_log_keep; BEGIN IMMEDIATE',
  );
  database.exec("UPDATE access_log_entries SET path = path || 'x', client = client || 'x'");
  cpSync(dir, copy, { recursive: true });
  database.close();
  expect(await verified(copy)).toMatchObject({ faults: [], entries: 300 });
  await writtenLog(1, { dir: copy });
  expect(await verified(copy)).toMatchObject({ faults: [], entries: 301 });
});
