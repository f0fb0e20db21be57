import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { COLUMNS, type Entry, hashEntry } from '../../../src/sidecar/access-log/entry.ts';
import { CURRENT, listArchives, readLogFolder } from '../../../src/sidecar/access-log/log-files.ts';
import { LOG_FAULTS, verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { SMALL_FILE, writtenLog } from './open-temporary-log.ts';

function edit(dir: string, sql: string, name = CURRENT): void {
  chmodSync(join(dir, name), 0o600);
  const database = new DatabaseSync(join(dir, name));
  database.exec(sql);
  database.close();
}

async function faultsOf(dir: string, head?: string): Promise<string[]> {
  const { faults } = await verifyAccessLog(readLogFolder(dir), head === undefined ? {} : { head });
  return faults.map(({ kind, seq }) => `${kind} ${seq}`);
}

function rowsOf(dir: string, name = CURRENT): Entry[] {
  const database = new DatabaseSync(join(dir, name));
  try {
    return database.prepare('SELECT * FROM entries ORDER BY seq').all() as unknown as Entry[];
  } finally {
    database.close();
  }
}

describe('a verification finds', () => {
  const ROWS = 6;
  const edited: [column: string, seq: number][] = COLUMNS.filter((column) => column !== 'seq').flatMap(
    (column) => Array.from({ length: ROWS }, (_, seq): [string, number] => [column, seq]),
  );

  test('every column that was edited, in every row', async () => {
    const source = await writtenLog(ROWS);
    edit(source, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const original = readFileSync(join(source, CURRENT));
    for (const [column, seq] of edited) {
      writeFileSync(join(source, CURRENT), original);
      const value = column === 'status' ? 'status + 1' : `coalesce(${column}, '') || '0'`;
      edit(source, `UPDATE entries SET ${column} = ${value} WHERE seq = ${seq}`);
      const faults = await faultsOf(source);
      // The record of the last one's hash is right, so its own column is.
      const expected = [`edited ${seq}`];
      if (column === 'prev_hash') expected.unshift(`unlinked ${seq}`);
      if (column === 'hash' && seq === ROWS - 1) expected.push(`head_differs ${seq}`);
      expect(faults, `${column} of ${seq}`).toEqual(expected);
    }
  });

  test('an empty cell where there was a value, and a value where there was none', async () => {
    const dir = await writtenLog(ROWS);
    edit(dir, "UPDATE entries SET holder = NULL WHERE seq = 0; UPDATE entries SET holder = '' WHERE seq = 2");
    expect(await faultsOf(dir)).toEqual(['edited 0', 'edited 2']);
  });

  test.each([
    [0, ['removed 0']],
    [3, ['removed 3']],
    [5, ['truncated 5']],
  ])('that entry %d was removed', async (seq, faults) => {
    const dir = await writtenLog(ROWS);
    edit(dir, `DELETE FROM entries WHERE seq = ${seq}`);
    expect(await faultsOf(dir)).toEqual(faults);
  });

  test('an entry that was edited together with its hash, by the entry after it', async () => {
    const dir = await writtenLog(ROWS);
    rehash(dir, 2);
    expect(await faultsOf(dir)).toEqual(['unlinked 3']);
  });

  test('the last entry edited together with its hash, by the head record', async () => {
    const dir = await writtenLog(ROWS);
    rehash(dir, 5);
    expect(await faultsOf(dir)).toEqual(['head_differs 5']);
  });

  test.each([
    ['is gone', (dir: string) => rmSync(join(dir, 'head')), 'none'],
    ['is none', (dir: string) => writeFileSync(join(dir, 'head'), '5 abc\n'), '"5 abc\\n"'],
  ])('that the head record %s', async (_, damage, found) => {
    const dir = await writtenLog(ROWS);
    damage(dir);
    expect((await verifyAccessLog(readLogFolder(dir))).faults).toMatchObject([
      { kind: 'head_missing', file: 'head', found },
    ]);
  });

  test('a file that is none of the log', async () => {
    const dir = await writtenLog(ROWS);
    for (const suffix of ['-wal', '-shm']) rmSync(join(dir, CURRENT + suffix), { force: true });
    writeFileSync(join(dir, CURRENT), 'x'.repeat(5_000));
    expect((await verifyAccessLog(readLogFolder(dir))).faults).toMatchObject([
      { kind: 'unreadable', file: CURRENT },
      { kind: 'truncated', seq: 5 },
    ]);
  });
});

describe('across archives, a verification finds', () => {
  async function archivedLog() {
    const dir = await writtenLog(900, { maxFileBytes: SMALL_FILE });
    const archives = listArchives(dir);
    return { dir, archives, first: archives[0]!, second: archives[1]! };
  }

  test('an edited entry, and in which file it is', async () => {
    const { dir, second } = await archivedLog();
    edit(
      dir,
      `UPDATE entries SET status = 200 WHERE seq = ${second.last - (second.last % 3) - 1}`,
      second.name,
    );
    expect((await verifyAccessLog(readLogFolder(dir))).faults).toMatchObject([
      { kind: 'edited', file: second.name },
    ]);
  });

  test('the last entry of an archive removed, and the first of the next', async () => {
    const { dir, first, second } = await archivedLog();
    edit(dir, `DELETE FROM entries WHERE seq = ${first.last}`, first.name);
    edit(dir, `DELETE FROM entries WHERE seq = ${second.first}`, second.name);
    expect(await faultsOf(dir)).toEqual([`removed ${first.last}`]);
  });

  test('an archive that is gone, one in the middle and the first one', async () => {
    const { dir, first, second } = await archivedLog();
    rmSync(join(dir, second.name));
    expect(await faultsOf(dir)).toEqual([`removed ${second.first}`]);
    rmSync(join(dir, first.name));
    expect(await faultsOf(dir)).toEqual(['removed 0']);
  });

  test('an archive put in the place of another one', async () => {
    const { dir, first, second } = await archivedLog();
    chmodSync(join(dir, second.name), 0o600);
    copyFileSync(join(dir, first.name), join(dir, second.name));
    const kinds = new Set((await verifyAccessLog(readLogFolder(dir))).faults.map(({ kind }) => kind));
    expect([...kinds]).toEqual(['repeated', 'removed']);
  });

  test('one flipped byte of a row in any archive', async () => {
    const { dir, first } = await archivedLog();
    const path = join(dir, first.name);
    chmodSync(path, 0o600);
    const bytes = readFileSync(path);
    const at = bytes.indexOf('request-77');
    bytes[at + 8]! ^= 1;
    writeFileSync(path, bytes);
    expect(await faultsOf(dir)).toEqual(['edited 77']);
  });
});

test('a folder that is not there is an error, not an empty log', async () => {
  const dir = join(await writtenLog(1), 'nothing');
  expect(await failureOf(async () => verifyAccessLog(readLogFolder(dir)))).toMatchObject({
    code: 'store_failed',
  });
});

test('every kind of fault has its meaning in the documentation', () => {
  const document = readFileSync(new URL('../../../docs/access-log.md', import.meta.url), 'utf8');
  for (const [kind, meaning] of Object.entries(LOG_FAULTS))
    expect(document).toContain(`| \`${kind}\` | ${meaning} |`);
});

/** Edits an entry and gives it the hash that it then has. */
function rehash(dir: string, seq: number): void {
  const entry = { ...rowsOf(dir)[seq]!, status: 404 };
  edit(dir, `UPDATE entries SET status = 404, hash = '${hashEntry(entry)}' WHERE seq = ${seq}`);
}
