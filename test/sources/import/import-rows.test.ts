import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importRows } from '../../../pipeline/sources/import/import-rows.ts';
import { Folders, filesOf, SIGNER, verifiedLedger } from '../civic/import-fixture.ts';
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
  return importRows({
    source: memory.source,
    directory: ledger,
    signers: [SIGNER],
    verifiers: [SIGNER.verifier],
    secret: new Uint8Array(32).fill(9),
    now: () => Date.parse(now),
    waitMs: 0,
    full,
  });
}

/** Row ids in the ledger's order; alerts as `!` and their id. */
async function rowsOf(): Promise<string[]> {
  const { events } = await verifiedLedger(ledger);
  return events.map(({ data }) => (data.source as { row: string } | undefined)?.row ?? `!${data.alert}`);
}

const ids = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => `${first + n}`);

describe('an import of rows', () => {
  test('takes each row once, in order, and seals the slots that have ended', async () => {
    fill(1, 5000);
    expect(await run({ now: timeOf(5001) })).toMatchObject({ imported: 5000, findings: [] });
    fill(5001, 9000);
    memory.put(9001, timeOf(9001), { data: { source: 'mine', n: 1 }, type: 'note', agent: 'ÆGIR' });
    expect(await run()).toMatchObject({ imported: 4001, findings: [] });
    expect(await run()).toMatchObject({ imported: 0, sealed: [], findings: [] });
    expect(await rowsOf()).toEqual(ids(1, 9001));
    const { events, snapshots, head } = await verifiedLedger(ledger);
    // Five slots with rows, and the newest one as a sign of life.
    expect(snapshots).toHaveLength(6);
    expect(head).toHaveLength(0);
    expect(events.at(-1)).toMatchObject({
      timestamp: timeOf(9001),
      data: { n: 1, source: { row: '9001', data_source: 'mine' } },
    });
  });

  test('says that it cannot make its folder', async () => {
    writeFileSync(join(ledger, 'file'), '');
    ledger = join(ledger, 'file', 'imported');
    await expect(run()).rejects.toMatchObject({ code: 'ledger_unwritable', place: ledger, found: 'ENOTDIR' });
  });

  test('of the same rows gives the same bytes', async () => {
    fill(1, 3000);
    await run();
    const first = filesOf(ledger);
    ledger = folders.make();
    await run();
    const others = (files: Record<string, string>) => ({ ...files, [INDEX]: '' });
    expect(others(filesOf(ledger))).toEqual(others(first));
  });

  test('takes no row that another one can still precede, and leaves its slot open', async () => {
    fill(1, 10);
    memory.heldFrom = 6;
    expect(await run()).toMatchObject({ imported: 5, sealed: [] });
    memory.heldFrom = Number.POSITIVE_INFINITY;
    expect(await run()).toMatchObject({ imported: 5, findings: [] });
    expect(await rowsOf()).toEqual(ids(1, 10));
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
    expect(await rowsOf()).toEqual(['1', '2', '3', '4', '!source-late']);
  });

  test('appends a late row at the end, with its own time beside, and says so in the ledger', async () => {
    fill(1, 9000);
    memory.table.delete(7);
    memory.table.delete(8999);
    await run({ now: timeOf(9001) });
    fill(7, 7);
    fill(8999, 8999);
    fill(9001, 9001);
    const { findings } = await run();
    expect(findings).toEqual([
      {
        kind: 'late',
        rows: ['7', '8999'],
        message: '2 rows (7, 8999) came late. The ledger has them with a later time.',
      },
    ]);
    expect((await rowsOf()).slice(-4)).toEqual(['7', '8999', '9001', '!source-late']);
    const { events } = await verifiedLedger(ledger);
    expect(events.at(-4)!.data.source).toEqual({ row: '7', timestamp: timeOf(7), late: true });
    // Neither a further import nor one that lost its index finds it again.
    expect(await run({ full: true })).toMatchObject({ imported: 0, findings: [] });
    rmSync(join(ledger, INDEX));
    expect(await run({ full: true })).toMatchObject({ imported: 0, findings: [] });
  });

  test('reports changed and deleted rows once, and keeps what was imported', async () => {
    fill(1, 9000);
    await run();
    memory.put(12, timeOf(12), { data: { mii: 0.5 }, type: 'mii_reading' });
    memory.put(8995, timeOf(8995), { agent: 'ZEUS' });
    memory.table.delete(13);
    const { findings } = await run({ full: true });
    expect(findings.map(({ kind, message }) => [kind, message])).toEqual([
      ['modified', '2 rows (12, 8995) were modified after the import. The ledger keeps what was imported.'],
      ['deleted', '1 row (13) was deleted after the import. The ledger keeps what was imported.'],
    ]);
    const before = await verifiedLedger(ledger);
    expect(before.events.at(-1)!.data.changes).toMatchObject([
      { row: '12', change: 'modified' },
      { row: '13', change: 'deleted' },
      { row: '8995', change: 'modified' },
    ]);
    for (const again of [true, false]) {
      if (again) rmSync(join(ledger, INDEX));
      expect(await run({ full: true })).toMatchObject({ imported: 0, findings: [] });
    }
    // A further change is another finding.
    fill(12, 12);
    fill(13, 13);
    expect((await run({ full: true })).findings.map(({ kind }) => kind)).toEqual(['modified']);
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

  test('reads the newest rows and one block, not the whole table', async () => {
    fill(1, 15_000);
    await run();
    memory.read = 0;
    await run();
    expect(memory.read).toBeLessThan(9000);
  });

  test('stops before a row that is no event, and continues there when it has become one', async () => {
    fill(1, 10);
    memory.put(6, timeOf(6), { type: 'mii_reading', data: { mii: 7 } });
    await expect(run()).rejects.toThrow(
      'memory, row 6: expected data.mii to be at most 1, found 7 (ledger_schema)',
    );
    expect(await rowsOf()).toEqual(ids(1, 5));
    await expect(run()).rejects.toThrow('row 6');
    fill(6, 6);
    expect(await run()).toMatchObject({ imported: 5, findings: [] });
    expect(await rowsOf()).toEqual(ids(1, 10));
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
    expect(await rowsOf()).toEqual(ids(1, 50));
  });

  test('reads the ledger where its index is damaged', async () => {
    fill(1, 5000);
    await run({ now: timeOf(5001) });
    const bytes = readFileSync(join(ledger, INDEX));
    writeFileSync(join(ledger, INDEX), bytes.fill(0xff, 8192));
    fill(5001, 5002);
    expect(await run()).toMatchObject({ imported: 2, findings: [] });
    expect(await rowsOf()).toEqual(ids(1, 5002));
  });
});
