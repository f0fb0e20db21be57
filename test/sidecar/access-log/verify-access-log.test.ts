import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COLUMNS, hashEntry } from '../../../src/sidecar/access-log/entry.ts';
import { failureOf } from '../../release/temporary-folder.ts';
import { logFile, rowsOf, tamperWith, verified, writtenLog } from './open-temporary-log.ts';

async function faultsOf(dir: string, head?: string): Promise<string[]> {
  return (await verified(dir, head)).faults.map(({ kind, seq }) => `${kind} ${seq}`);
}

describe('a verification finds', () => {
  const ROWS = 6;
  const edited: [column: string, seq: number][] = COLUMNS.filter((column) => column !== 'seq').flatMap(
    (column) => Array.from({ length: ROWS }, (_, seq): [string, number] => [column, seq]),
  );

  test('every column that was edited, in every row', async () => {
    const source = await writtenLog(ROWS);
    const original = readFileSync(logFile(source));
    for (const [column, seq] of edited) {
      writeFileSync(logFile(source), original);
      const value = column === 'status' ? 'status + 1' : `coalesce(${column}, '') || '0'`;
      tamperWith(source, `UPDATE access_log_entries SET ${column} = ${value} WHERE seq = ${seq}`);
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
    tamperWith(
      dir,
      "UPDATE access_log_entries SET holder = NULL WHERE seq = 0; UPDATE access_log_entries SET holder = '' WHERE seq = 2",
    );
    expect(await faultsOf(dir)).toEqual(['edited 0', 'edited 2']);
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

  test('that the head record is gone', async () => {
    const dir = await writtenLog(ROWS);
    tamperWith(dir, 'DELETE FROM access_log_head');
    expect((await verified(dir)).faults).toMatchObject([
      { kind: 'head_missing', file: 'access_log_head', found: 'none' },
    ]);
  });

  test('one flipped byte of a row', async () => {
    const dir = await writtenLog(300);
    const bytes = readFileSync(logFile(dir));
    const at = bytes.indexOf('request-77');
    bytes[at + 8]! ^= 1;
    writeFileSync(logFile(dir), bytes);
    expect(await faultsOf(dir)).toEqual(['edited 77']);
  });
});

test('a file that is no log is an error', async () => {
  const dir = await writtenLog(1);
  writeFileSync(logFile(dir), 'x'.repeat(5_000));
  expect(await failureOf(() => verified(dir))).toMatchObject({ code: 'store_failed', place: logFile(dir) });
});

test('a folder that is not there is an error, not an empty log', async () => {
  const dir = join(await writtenLog(1), 'nothing');
  expect(await failureOf(() => verified(dir))).toMatchObject({
    code: 'store_failed',
  });
});

/** Edits an entry and gives it the hash that it then has. */
function rehash(dir: string, seq: number): void {
  const entry = { ...rowsOf(dir)[seq]!, status: 404 };
  tamperWith(
    dir,
    `UPDATE access_log_entries SET status = 404, hash = '${hashEntry(entry)}' WHERE seq = ${seq}`,
  );
}
