import { readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { read, utils } from '@e965/xlsx';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deliberationArchive } from '../../pipeline/artifacts/philosophy/deliberation-archive.ts';
import { HISTORIES } from '../../pipeline/artifacts/table.ts';
import { formPath, TABLES, type Table, yearIn, yearPath } from '../../pipeline/formats/tables.ts';
import type { Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import type { Manifest } from '../../pipeline/release/format/manifest.ts';
import { lineSchemaPath } from '../../pipeline/release/format/schemas.ts';
import { readLedger } from '../ledger/test-ledger.ts';
import { useFolder } from '../setups/use-folder.ts';
import { query } from './duckdb.ts';
import { archived, linesOf, rangesOf, restore } from './event-links.ts';
import { buildSmall, writeSmallLedger } from './small-release.ts';

const folder = useFolder();
let release: { dir: string; manifest: Manifest };

beforeAll(async () => {
  await writeSmallLedger(folder);
  release = await buildSmall(folder, 'whole');
});

const named = (name: string) => TABLES.find((table) => table.name === name)!;
const at = (path: string) => join(release.dir, 'public', path);
const GROWING = TABLES.filter(({ grows }) => grows);

/** The rows of a table’s own CSV as an independent parser reads them, newest first. */
async function csvRows({ artifact }: Table): Promise<Record<string, string>[]> {
  return parse(await readFile(at(artifact.path)), { columns: true });
}

/** The rows of its workbooks as an independent reader gives them, the oldest first. */
async function workbookRows(table: Table): Promise<Record<string, unknown>[]> {
  const paths = release.manifest.files
    .map(({ path }) => path)
    .filter((path) => path.endsWith('.xlsx') && (path === formPath(table, '.xlsx') || yearIn(table, path)));
  const books = await Promise.all(paths.map((path) => readFile(at(path))));
  return books.flatMap((bytes) => utils.sheet_to_json<Record<string, unknown>>(read(bytes).Sheets.data!));
}

/** Everything but when a file last changed: that is of the runs, not of the ledger. */
const content = ({ files, unlisted }: Manifest) => ({
  files: files.map(({ modified: _, ...file }) => file),
  unlisted,
});

describe('the other formats of the tables', () => {
  test('are the same whether one run wrote a release or several', async () => {
    const ids = (await openDirectory(join(folder, 'ledger')).snapshots(null)).map(({ id }) => id);
    // Within a day, at its end, over the turn of the year, and two slots at once.
    for (const until of [3, 4, 5, 47, 48, 49].map((index) => ids[index]!))
      await buildSmall(folder, 'steps', { until });
    const { manifest } = await buildSmall(folder, 'steps');
    expect(content(manifest)).toEqual(content(release.manifest));
    expect(manifest.release).toBe(release.manifest.release);
  });

  test('have a Parquet file and a workbook for each year; the Parquet file of a closed year never changes', () => {
    const isFinal = (table: Table, year: number, ending: string) =>
      release.manifest.files.find(({ path }) => path === yearPath(table, year, ending))?.immutable;
    for (const table of GROWING.filter(({ name }) => name !== 'cathedral_multipliers')) {
      expect([2025, 2026].map((year) => isFinal(table, year, '.parquet'))).toEqual([true, false]);
      expect([2025, 2026].map((year) => isFinal(table, year, '.xlsx'))).toEqual([false, false]);
    }
  });

  test.each(GROWING.filter(({ artifact }) => artifact.mediaType.startsWith('text/csv')))(
    '$name: CSV, JSON lines, Parquet, workbook and database have the same rows',
    async (table) => {
      const rows = await csvRows(table);
      const [csv, ndjson, parquet] = [
        `read_csv('${at(table.artifact.path)}', header = true, all_varchar = true)`,
        `read_json('${at(formPath(table, '.ndjson'))}', format = 'newline_delimited')`,
        `read_parquet('${at(formPath(table, '-*.parquet'))}')`,
      ];
      const casts = table.columns.map(
        ({ name, type }) => `CAST("${name}" AS ${DUCKDB_TYPES[type]}) AS "${name}"`,
      );
      const all = (from: string) => `(SELECT ${casts.join(', ')} FROM ${from})`;
      const linked = table.allColumns
        .filter((column) => !table.columns.includes(column))
        .map(({ name, type }) => `CAST("${name}" AS ${DUCKDB_TYPES[type]}) AS "${name}"`);
      const links = (from: string) => `(SELECT ${[...casts, ...linked].join(', ')} FROM ${from})`;
      const [differs] = await query(
        `SELECT count(*) AS rows FROM (${links(ndjson)} EXCEPT ALL ${links(parquet)})`,
      );
      expect(differs).toEqual({ rows: '0' });
      for (const other of [ndjson, parquet]) {
        const [difference] = await query(
          `SELECT count(*) AS rows FROM (${all(csv)} EXCEPT ALL ${all(other)} UNION ALL (${all(other)} EXCEPT ALL ${all(csv)}))`,
        );
        expect(difference).toEqual({ rows: '0' });
      }
      const sheet = await workbookRows(table);
      const database = new DatabaseSync(at('cathedral.sqlite'), { readOnly: true });
      const stored = database.prepare(`SELECT * FROM "${table.name}" ORDER BY rowid`).all();
      database.close();
      for (const found of [sheet, stored]) expect(found).toHaveLength(rows.length);
      for (const { name, type } of table.columns.filter((one) =>
        ['number', 'decimal', 'integer'].includes(one.type),
      )) {
        const numbers = (list: readonly Record<string, unknown>[]) =>
          list.map((row) => (row[name] === '' || row[name] == null ? null : Number(row[name]))).sort();
        expect(numbers(sheet), `${name}: ${type}`).toEqual(numbers(rows));
        expect(numbers(stored), name).toEqual(numbers(rows));
      }
    },
  );

  test('have the file’s own order in JSON lines, and the oldest row first elsewhere', async () => {
    const table = named('sentinels_by_day');
    const rows = await csvRows(table);
    const lines = (await readFile(at(formPath(table, '.ndjson')), 'utf8')).trimEnd().split('\n');
    const key = (row: Record<string, unknown>) => `${row.date} ${row.sentinel}`;
    expect(lines.map((line) => key(JSON.parse(line)))).toEqual(rows.map(key));
    const parquet = await query(
      `SELECT date::VARCHAR AS date, sentinel FROM read_parquet('${at(formPath(table, '-*.parquet'))}')`,
    );
    // By day upwards; within a day in the order of the file.
    const days = [...new Set(rows.map(({ date }) => date))].reverse();
    expect(parquet.map(key)).toEqual(days.flatMap((day) => rows.filter(({ date }) => date === day)).map(key));
  });

  describe('name the events that each row follows from', () => {
    let lines: Awaited<ReturnType<typeof linesOf>>;
    let leaves: Leaf[];
    beforeAll(async () => {
      lines = await linesOf(release.dir);
      ({ leaves } = await readLedger(join(folder, 'ledger'), [demoSigner().verifier]));
    });

    test.each(['economy/mic-history.csv', 'economy/cathedral-multipliers.csv', 'philosophy/decisions.json'])(
      '%s follows from them, byte for byte',
      async (path) => {
        const text = await readFile(at(path), 'utf8');
        const { separator, tail } = HISTORIES.find((history) => history.path === path)!;
        const body = text.slice(text.indexOf('\n') + 1, separator === '' ? undefined : -tail.length);
        expect(body.length).toBeGreaterThan(100);
        expect(restore(path, lines.get(path)!, leaves)).toBe(body);
      },
    );

    test('a row by day the first and the last of the day', () => {
      const ranges = rangesOf(leaves);
      for (const { artifact } of GROWING.filter(({ allColumns }) =>
        allColumns.some(({ name }) => name === 'first_event'),
      ))
        for (const { date, first_event, last_event } of lines.get(artifact.path)!)
          expect([artifact.path, { first_event, last_event }]).toEqual([
            artifact.path,
            ranges.get(date as string),
          ]);
    });

    test('a deliberation its opening, its positions in their order, and its closing', async () => {
      const { deliberations } = JSON.parse(await readFile(at(deliberationArchive.path), 'utf8'));
      const found = lines.get(deliberationArchive.path)!;
      expect(found.length).toBeGreaterThan(3);
      for (const [index, { id, opened, closed, sentinels }] of deliberations.entries()) {
        const positions = sentinels.map((one: { id: string; position: string }) =>
          expect.objectContaining({
            type: 'position_taken',
            agent: one.id,
            position: one.position,
            deliberation: id,
          }),
        );
        expect(archived(found[index]!, leaves)).toEqual([
          expect.objectContaining({ type: 'deliberation_opened', timestamp: opened, deliberation: id }),
          ...positions,
          expect.objectContaining({ type: 'deliberation_closed', timestamp: closed, deliberation: id }),
        ]);
      }
    });

    test('as their schemas say', async () => {
      for (const { artifact } of GROWING) {
        const schema = JSON.parse(await readFile(at(lineSchemaPath(artifact)!), 'utf8'));
        for (const line of lines.get(artifact.path)!.slice(0, 50))
          expect(z.fromJSONSchema(schema).safeParse(line).error, artifact.path).toBeUndefined();
      }
    });
  });

  test('include the tables that do not grow', async () => {
    for (const table of TABLES.filter(({ grows }) => !grows)) {
      const lines = (await readFile(at(formPath(table, '.ndjson')), 'utf8')).split('\n').slice(0, -1);
      const sheet = await workbookRows(table);
      expect([table.name, sheet.length]).toEqual([table.name, lines.length]);
      const file = release.manifest.files.find(({ path }) => path === formPath(table, '.ndjson'));
      expect(file).toMatchObject({
        rows: lines.length,
        kind: 'data',
        area: table.artifact.area,
        restricted: false,
      });
    }
  });

  test('are made again where the previous release lost or damaged them', async () => {
    const ids = (await openDirectory(join(folder, 'ledger')).snapshots(null)).map(({ id }) => id);
    const { dir } = await buildSmall(folder, 'damaged', { until: ids.at(-2)! });
    await rm(join(dir, 'public/cathedral.sqlite'));
    for (const year of [2025, 2026])
      await truncate(join(dir, `public/economy/mic-history-${year}.xlsx`), 100);
    await truncate(join(dir, 'public/economy/mic-history-2026.parquet'), 100);
    const { manifest } = await buildSmall(folder, 'damaged');
    expect(manifest.release).toBe(release.manifest.release);
  });

  test('are refused where the Parquet file of a closed year is damaged, and made again by a rebuild', async () => {
    const name = 'public/economy/mic-history-2025.parquet';
    const ids = (await openDirectory(join(folder, 'ledger')).snapshots(null)).map(({ id }) => id);
    const { dir } = await buildSmall(folder, 'closed', { until: ids.at(-2)! });
    const place = join(dir, name);
    await truncate(place, 100);
    await expect(buildSmall(folder, 'closed')).rejects.toMatchObject({ code: 'release_invalid', place });
    const { manifest } = await buildSmall(folder, 'closed', { rebuild: true });
    expect(manifest.release).toBe(release.manifest.release);
    const made = join(folder, 'closed/releases', manifest.release, name);
    expect((await readFile(made)).equals(await readFile(join(release.dir, name)))).toBe(true);
  });
});

const DUCKDB_TYPES = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  decimal: 'DECIMAL(38,6)',
  boolean: 'BOOLEAN',
  datetime: 'TIMESTAMPTZ',
  date: 'DATE',
  list: 'VARCHAR[]',
  integers: 'BIGINT[]',
} as const;

describe('the database', () => {
  const open = () => new DatabaseSync(at('cathedral.sqlite'), { readOnly: true });

  test('is sound, and its keys refer to existing rows', () => {
    const database = open();
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    const keys = database.prepare(`PRAGMA foreign_key_list('positions')`).all();
    expect(keys.map((key) => `${key.from} → ${key.table}.${key.to}`)).toEqual(['id → sentinel_status.id']);
    database.close();
  });

  test('has every table with its types, keys and descriptions', () => {
    const database = open();
    const meta = database.prepare(`SELECT "table", "column", description FROM _meta`).all();
    for (const table of TABLES) {
      const columns = database.prepare(`PRAGMA table_info("${table.name}")`).all();
      expect(columns.map(({ name }) => name)).toEqual(table.allColumns.map(({ name }) => name));
      const key = columns.filter(({ pk }) => Number(pk) > 0).map(({ name }) => name);
      expect(key.sort()).toEqual([...table.key].sort());
      const described = meta.filter((row) => row.table === table.name);
      expect(described.map(({ column }) => column)).toEqual([
        null,
        ...table.allColumns.map(({ name }) => name),
      ]);
      for (const { description } of described) expect(description).toBeTruthy();
    }
    const about = Object.fromEntries(
      database
        .prepare('SELECT name, value FROM _about')
        .all()
        .map(({ name, value }) => [name, value]),
    );
    expect(about).toMatchObject({
      as_of: release.manifest.timestamp,
      ledger_root: release.manifest.ledger.root,
    });
    database.close();
  });

  test('gives the same answer over two tables as the files', async () => {
    const database = open();
    const [row] = database
      .prepare(`SELECT s.cathedral, round(sum(m.amount), 6) AS minted FROM mic_history m JOIN sentinel_status s ON s.id = m.sentinel
        WHERE m.timestamp >= '2026-01-01' GROUP BY 1 ORDER BY 1 LIMIT 1`)
      .all();
    database.close();
    const mints = await csvRows(named('mic_history'));
    const sum = mints
      .filter(({ cathedral, timestamp }) => cathedral === row!.cathedral && timestamp! >= '2026-01-01')
      .reduce((total, { amount }) => total + Number(amount), 0);
    expect(row!.minted).toBeCloseTo(sum, 5);
  });
});
