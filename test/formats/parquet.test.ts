import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../pipeline/formats/columns.ts';
import { ParquetFile } from '../../pipeline/formats/parquet.ts';
import { BLOCK_ROWS } from '../../pipeline/formats/table-file.ts';
import { TABLES } from '../../pipeline/formats/tables.ts';
import { useFolder } from '../setups/use-folder.ts';
import { query } from './duckdb.ts';

const named = (name: string) => TABLES.find((table) => table.name === name)!;

const folder = useFolder();

function write(name: string, rows: readonly Row[]): Buffer {
  const file = new ParquetFile(named(name));
  const parts: Uint8Array[] = [];
  for (let at = 0; at < rows.length; at += BLOCK_ROWS)
    parts.push(...file.add(rows.slice(at, at + BLOCK_ROWS)));
  return Buffer.concat([...parts, ...file.finish()]);
}

async function read(bytes: Uint8Array, select: string) {
  const path = join(folder, 'x.parquet');
  await writeFile(path, bytes);
  return query(select.replace('FILE', `'${path}'`));
}

function mint(index: number): Row {
  const time = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString().replace('.000', '');
  const amount = `${(index * 7919) % 2000}.${
    String((index * 104729) % 1_000_000)
      .padStart(6, '0')
      .replace(/0+$/, '') || '0'
  }`;
  return [
    time,
    'C-182',
    ['ATLAS', 'ÉCHO ∑', 'JADE'][index % 3]!,
    amount,
    'FOR-ACADEMICS',
    index % 5 ? index / 7 : -0,
    3 * index,
  ];
}

describe('a Parquet file', () => {
  test('has columns of the table’s types in an independent reader', async () => {
    const rows: Row[] = [['2026-01-01', 4, 0.95, 0.9, 1, 0.96, 0.93, true, 70_000, 70_951]];
    const columns = await read(write('mii_by_day', rows), 'DESCRIBE SELECT * FROM FILE');
    expect(Object.fromEntries(columns.map((one) => [one.column_name, one.column_type]))).toMatchObject({
      date: 'DATE',
      readings: 'BIGINT',
      mii_mean: 'DOUBLE',
      minting_active: 'BOOLEAN',
    });
    const mints = await read(write('mic_history', [mint(1)]), 'DESCRIBE SELECT * FROM FILE');
    expect(mints.map((one) => one.column_type)).toEqual([
      'TIMESTAMP WITH TIME ZONE',
      'VARCHAR',
      'VARCHAR',
      'DECIMAL(38,6)',
      'VARCHAR',
      'DOUBLE',
      'BIGINT',
    ]);
  });

  test('gives back every value, amounts to the last digit, times to the microsecond, lists and empty cells', async () => {
    const rows: Row[] = [
      ['2026-01-01T23:59:59.123456Z', 'C-182', 'EVE', '123456789012345.654321', 'X', 0.1, 8],
      ['2026-01-02T00:00:00Z', 'C-183', '=1+1', '0', 'X', 2e-7, 9],
    ];
    const bytes = write('mic_history', rows);
    expect(
      await read(
        bytes,
        'SELECT timestamp::VARCHAR AS timestamp, sentinel, amount, coordination_score FROM FILE',
      ),
    ).toEqual([
      {
        timestamp: '2026-01-01 23:59:59.123456+00',
        sentinel: 'EVE',
        amount: '123456789012345.654321',
        coordination_score: 0.1,
      },
      { timestamp: '2026-01-02 00:00:00+00', sentinel: '=1+1', amount: '0.000000', coordination_score: 2e-7 },
    ]);
    const decision: Row = ['d', '2026-01-01', 't', ['a', 'b,"c"'], [], 'r', 'o', '', 12];
    const [found] = await read(write('decisions', [decision]), 'SELECT * FROM FILE');
    expect(found).toMatchObject({
      date: '2026-01-01',
      frameworks_applied: ['a', 'b,"c"'],
      sentinels_involved: [],
    });
    const day: Row = ['2026-01-01', 'EVE', 'X', 'offline', 0, 24.5, null, null, 3, 9];
    expect(await read(write('sentinels_by_day', [day]), 'SELECT * FROM FILE')).toMatchObject([
      { longest_silence: 24.5, coordination_score: null, gi_score: null },
    ]);
    const closed: Row = [
      'd',
      '2026-01-02T00:00:00Z',
      '2026-01-01T00:00:00Z',
      't',
      'reached',
      'o',
      9,
      3,
      [7, 5],
    ];
    const none: Row = [...closed.slice(0, -1), []];
    const events = 'SELECT event, opened_event, position_events FROM FILE';
    expect(await read(write('deliberation_archive', [closed, none]), events)).toEqual([
      { event: '9', opened_event: '3', position_events: ['7', '5'] },
      { event: '9', opened_event: '3', position_events: [] },
    ]);
  });

  test('has every row of every block', async () => {
    const rows = Array.from({ length: BLOCK_ROWS + 700 }, (_, index) => mint(index));
    const cents = rows.reduce((sum, row) => sum + BigInt(Math.round(Number(row[3]) * 1e6)), 0n);
    const select = 'SELECT count(*) AS rows, (sum(amount) * 1000000)::HUGEINT::VARCHAR AS micro FROM FILE';
    expect(await read(write('mic_history', rows), select)).toEqual([
      { rows: String(rows.length), micro: String(cents) },
    ]);
  });

  test('lets a reader skip groups by time', async () => {
    const rows = Array.from({ length: BLOCK_ROWS + 10 }, (_, index) => mint(index));
    const bytes = write('mic_history', rows);
    const select = `SELECT row_group_id, stats_min_value FROM parquet_metadata(FILE) WHERE path_in_schema = 'timestamp' ORDER BY 1`;
    const groups = await read(bytes, select);
    expect(groups.map((one) => String(one.stats_min_value).slice(0, 19))).toEqual([
      '2026-01-01 00:00:00',
      '2026-01-01 05:33:20',
    ]);
  });

  test('is refused for an invalid time', () => {
    const row: Row = ['yesterday', 'C-1', 'EVE', '1', 'X', 1];
    expect(() => write('mic_history', [row])).toThrow(
      /mic-history\.csv: expected an ISO 8601 time, found yesterday/,
    );
  });
});
