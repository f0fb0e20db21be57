import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Folders, ids, importFrom, rowsIn } from '../civic/import-fixture.ts';
import { MemorySource } from './memory-source.ts';

const INDEX = 'rows-import.db';
const START = Date.parse('2026-01-01T00:00:00Z');
const folders = new Folders();
let ledger = '';
let memory = new MemorySource();

beforeEach(() => {
  ledger = folders.make();
  memory = new MemorySource();
});
afterEach(() => folders.remove());

/** The time of row `id`: one every ten seconds. */
const timeOf = (id: number) => new Date(START + id * 10_000).toISOString().replace('.000', '');

function fill(first: number, last: number): void {
  for (let id = first; id <= last; id += 1)
    memory.put(id, timeOf(id), { data: { mii: id / 20_000 }, type: 'mii_reading' });
}

function run(more: { now?: string; full?: boolean } = {}) {
  const { now = '2026-01-03T00:00:00Z', full = false } = more;
  return importFrom(memory.source, ledger, { now: () => Date.parse(now), full });
}

describe('an import of rows', () => {
  test('says that it cannot make its folder', async () => {
    writeFileSync(join(ledger, 'file'), '');
    ledger = join(ledger, 'file', 'imported');
    await expect(run()).rejects.toMatchObject({
      code: 'ledger_unwritable',
      place: ledger,
      found: expect.stringContaining('ENOTDIR'),
    });
  });

  test('reports a row whose slot was sealed before, but not the order of concurrent writers at the end of a slot', async () => {
    memory.put(1, '2026-01-01T05:59:58Z');
    memory.put(2, '2026-01-01T06:00:01Z');
    memory.put(3, '2026-01-01T05:59:59Z');
    expect(await run({ now: '2026-01-01T06:00:02Z' })).toMatchObject({
      imported: 3,
      sealed: [],
      findings: [],
    });
    expect((await run({ now: '2026-01-01T06:01:00Z' })).sealed).toHaveLength(1);
    memory.put(4, '2026-01-01T05:59:59Z');
    expect(await run({ now: '2026-01-01T06:01:30Z' })).toMatchObject({ findings: [{ kind: 'late' }] });
    expect(await rowsIn(ledger)).toEqual(['1', '2', '3', '4', '!source-late']);
  });

  test('finds a deleted row by the number of rows, and any change within as many imports as there are blocks', async () => {
    fill(1, 13_000);
    await run();
    memory.table.delete(5000);
    expect((await run()).findings).toMatchObject([{ kind: 'deleted' }]);
    memory.put(9000, timeOf(9000), { agent: 'ZEUS' });
    const found = [];
    for (let n = 0; n < 3; n += 1) found.push(...(await run()).findings);
    expect(found).toMatchObject([{ kind: 'modified', message: expect.stringContaining('(9000)') }]);
  });

  test('finds a deleted row also where another one came late, so that their number is the same', async () => {
    fill(1, 20);
    memory.table.delete(10);
    await run();
    fill(10, 10);
    memory.table.delete(15);
    expect((await run()).findings).toMatchObject([
      { kind: 'late', rows: ['10'] },
      { kind: 'deleted', rows: ['15'] },
    ]);
  });

  test('reads the newest rows and one block, not the whole table', async () => {
    fill(1, 15_000);
    await run();
    memory.read = 0;
    await run();
    expect(memory.read).toBeLessThan(9000);
  });

  test('refuses a table with other rows as soon as it has found too many, and reads no more of it', async () => {
    fill(1, 16_000);
    await run();
    for (let id = 1; id <= 16_000; id += 1) memory.put(id, timeOf(id), { agent: 'ZEUS' });
    memory.read = 0;
    await expect(run({ full: true })).rejects.toMatchObject({
      code: 'import_failed',
      found: expect.stringMatching(/^\d+ of them changed or deleted, first \d+: /),
    });
    expect(memory.read).toBeLessThan(10_000);
  });

  test('refuses a table that has none of the rows that were imported', async () => {
    fill(1, 50);
    await run();
    for (let id = 1; id <= 50; id += 1) memory.put(id, timeOf(id), { agent: 'OTHER' });
    fill(51, 60);
    await expect(run()).rejects.toThrow('50 of them changed or deleted, first 1: another table');
    expect(await rowsIn(ledger)).toEqual(ids(1, 50));
  });

  test('does not take a table for another one of which most rows were deleted and are there again', async () => {
    fill(1, 3000);
    await run();
    for (const first of [1, 901, 1801]) {
      for (let id = first; id < first + 900; id += 1) memory.table.delete(id);
      expect((await run()).findings).toMatchObject([{ kind: 'deleted' }]);
    }
    fill(1, 2700);
    memory.put(2999, timeOf(2999), { agent: 'ZEUS' });
    expect(await run()).toMatchObject({
      imported: 0,
      findings: [{ kind: 'modified', rows: [...ids(1, 2700), '2999'] }],
    });
    expect(await run()).toMatchObject({ imported: 0, findings: [] });
    for (let id = 1; id <= 3000; id += 1) memory.put(id, timeOf(id), { agent: 'ARES' });
    await expect(run()).rejects.toThrow('of them changed or deleted');
  });

  test('takes a table for the same one of which old rows were deleted, however many, and reports each once', async () => {
    fill(1, 13_000);
    await run();
    for (let id = 1; id <= 12_000; id += 1) memory.table.delete(id);
    fill(13_001, 13_001);
    const deleted = [];
    for (const imported of [1, 0, 0]) {
      const report = await run();
      expect(report.imported).toBe(imported);
      deleted.push(...report.findings.flatMap(({ kind, rows }) => (kind === 'deleted' ? rows : [])));
    }
    expect(deleted.map(Number).sort((one, other) => one - other)).toEqual(ids(1, 12_000).map(Number));
    expect((await rowsIn(ledger)).filter((id) => !id.startsWith('!'))).toEqual(ids(1, 13_001));
    for (let id = 12_001; id <= 13_001; id += 1) memory.table.delete(id);
    await expect(run()).rejects.toThrow('1001 of them changed or deleted');
  });

  test('stops where more than a thousand of the newest rows are missing, as in an older copy, until they are there again', async () => {
    fill(1, 3000);
    await run();
    for (let id = 1001; id <= 3000; id += 1) memory.table.delete(id);
    await expect(run()).rejects.toThrow('2000 of them changed or deleted');
    fill(1001, 3000);
    expect(await run()).toMatchObject({ imported: 0, findings: [] });
  });

  test('reads the ledger where its index is damaged', async () => {
    fill(1, 5000);
    await run({ now: timeOf(5001) });
    const bytes = readFileSync(join(ledger, INDEX));
    writeFileSync(join(ledger, INDEX), bytes.fill(0xff, 8192));
    fill(5001, 5002);
    expect(await run()).toMatchObject({ imported: 2, findings: [] });
    expect(await rowsIn(ledger)).toEqual(ids(1, 5002));
  });
});
