import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '../../../pipeline/sql/sqlite.ts';
import { COUNT_FILE } from '../../../pipeline/sql/tables.ts';
import { CountStore, openCountStore } from '../../../src/sidecar/limits/count-store.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';

const TAKE = { day: '2025-12-01', area: 'economy', subject: 'network:abc', limit: 100 } as const;

/** Counts of the test's own, closed when it ends, and how often their file was replaced. */
async function openTemporary(options: { waitMs?: number } = {}) {
  const path = join(await temporaryFolder(), 'counts', 'limits.db');
  const seen = { replaced: 0 };
  const onReplaced = () => {
    seen.replaced += 1;
  };
  const store = await openCountStore(path, { onReplaced, ...options });
  onTestFinished(() => store.close());
  return { path, store, seen };
}

describe('counts in SQLite', () => {
  test('wait while another process writes, and go on counting from there', async () => {
    const { path, store } = await openTemporary();
    await store.takeAll([TAKE]);
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE; UPDATE counts SET n = 50');
    const taken = store.takeAll([TAKE]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    other.exec('COMMIT');
    other.close();
    expect(await taken).toEqual([51]);
  });

  test('are not given out where the lock is never given back', async () => {
    const { path, store } = await openTemporary({ waitMs: 20 });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    expect(await failureOf(() => store.takeAll([TAKE]))).toMatchObject({ code: 'store_failed', place: path });
    other.exec('COMMIT');
    expect(await store.takeAll([TAKE])).toEqual([1]);
  });

  test('go on in the same file after a full disk', async () => {
    let replaced = 0;
    const onReplaced = () => {
      replaced += 1;
    };
    const file = await openSqlite(join(await temporaryFolder(), 'limits.db'), COUNT_FILE, { onReplaced });
    const store = new CountStore(file, () => file.close());
    onTestFinished(() => store.close());
    await store.takeAll([TAKE]);
    await file.query('PRAGMA max_page_count = 1');
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...TAKE,
      subject: String(index).padStart(999),
    }));
    expect(await failureOf(() => store.takeAll(many))).toMatchObject({
      code: 'store_failed',
      found: expect.stringContaining('full'),
    });
    expect(await store.takeAll([TAKE])).toEqual([2]);
    expect(replaced).toBe(0);
  });

  test.each([
    ['the file', ['']],
    ['the file and what is beside it', ['', '-wal', '-shm']],
    ['its write-ahead log', ['-wal', '-shm']],
  ])('go to a file that others see where %s was removed', async (_, suffixes) => {
    const { path, store, seen } = await openTemporary();
    await store.takeAll([TAKE]);
    for (const suffix of suffixes) rmSync(path + suffix);
    const [first] = await store.takeAll([TAKE]);
    const other = await openCountStore(path);
    onTestFinished(() => other.close());
    expect(await other.takeAll([TAKE])).toEqual([first! + 1]);
    expect(await store.takeAll([TAKE])).toEqual([first! + 2]);
    expect(seen.replaced).toBe(1);
  });

  test('that cannot be kept are a fault until they can', async () => {
    const { path, store } = await openTemporary();
    await store.check();
    renameSync(dirname(path), `${dirname(path)}.aside`);
    writeFileSync(dirname(path), '');
    expect(await failureOf(() => store.check())).toMatchObject({ code: 'store_failed' });
    rmSync(dirname(path));
    await store.check();
    expect(await store.takeAll([TAKE])).toEqual([1]);
  });

  test('leave no trace in the files when their day is over', async () => {
    const { path, store } = await openTemporary();
    const secret = '0123456789abcdef'.repeat(4);
    await store.secret(TAKE.day, Buffer.from(secret, 'hex'));
    await store.takeAll([{ ...TAKE, subject: 'network:find-me' }]);
    const bytes = () => Buffer.concat([readFileSync(path), readFileSync(`${path}-wal`)]);
    expect(bytes().includes(secret) && bytes().includes('find-me')).toBe(true);
    await store.prune('2025-12-02');
    expect(bytes().includes(secret)).toBe(false);
    expect(bytes().includes('find-me')).toBe(false);
  });

  test.each([
    ['a text', (path: string) => writeFileSync(path, 'not a database, '.repeat(400))],
    ['another database', (path: string) => new DatabaseSync(path).exec('CREATE TABLE keys (id TEXT)')],
  ])('are not looked for in %s', async (_, prepare) => {
    const path = join(await temporaryFolder(), 'limits.db');
    prepare(path);
    const failure = await failureOf(async () => await openCountStore(path));
    expect(failure).toMatchObject({ code: 'store_failed', place: path });
  });
});
