import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Organisation } from '../artifacts/documents/organisation.ts';
import { asDiskErrors } from '../disk/durable.ts';
import { yearOf } from '../model/period.ts';
import { type Facts, storedAt } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';
import { DATABASE } from './catalogue/catalogue.ts';
import type { RecentRows } from './catalogue/changes.ts';
import type { Row } from './columns.ts';
import { historyRows } from './history-rows.ts';
import { formatNdjson, openNdjson } from './ndjson.ts';
import { ParquetFile } from './parquet.ts';
import { readTable } from './read-rows.ts';
import { PublicDatabase } from './sqlite.ts';
import { BLOCK_ROWS, formFile, type RowFile, streamFiles, type TableFile } from './table-file.ts';
import { formPath, TABLES, type Table, timeColumn, yearPath } from './tables.ts';
import { XlsxFile } from './xlsx.ts';

export interface TablesOptions {
  facts: Facts;
  baseUrl: string;
  organisation: Organisation;
}

/** Newest rows of a growing table that feeds are made from: more than they show of any. */
const RECENT_ROWS = 400;

/**
 * Writes every public table as JSON lines, as workbooks and as Parquet files, and all of them into one SQLite file, in one pass over their
 * rows. The data files must be staged before. Returns the newest rows of each growing table.
 */
export async function writeTables(staging: Staging, options: TablesOptions): Promise<RecentRows> {
  const recent = new Map<string, readonly Row[]>();
  const about = {
    path: DATABASE.path,
    kind: 'data',
    area: null,
    restricted: false,
    immutable: false,
  } as const;
  const mediaType = 'application/vnd.sqlite3';
  await staging.stream([{ ...about, mediaType }], async ([target]) => {
    const path = join(staging.dir, storedAt(about));
    using database = new PublicDatabase(path);
    for (const table of TABLES)
      if (table.grows) recent.set(table.name, await writeGrowing(staging, table, database, options));
      else database.insert(table, await writeSmall(staging, table, options));
    database.describe(aboutOf(options));
    database.close();
    await target!.readBack(path);
    return null;
  });
  return recent;
}

/** A table that each run writes again. */
async function writeSmall(staging: Staging, table: Table, { organisation }: TablesOptions): Promise<Row[]> {
  const path = join(staging.dir, 'public', table.artifact.path);
  const rows = readTable(table, await asDiskErrors(path, () => readFile(path, 'utf8')));
  const workbook = new XlsxFile(table, organisation);
  for (const [ending, content] of [
    ['.ndjson', formatNdjson(table, rows).join('')],
    ['.xlsx', Buffer.concat([...workbook.add(rows), ...workbook.finish()])],
  ] as const) {
    await staging.write({ ...formFile(table, formPath(table, ending)), rows: rows.length, content });
  }
  return rows;
}

/** Writes a growing table while its rows are read once. Returns the newest of them. */
async function writeGrowing(
  staging: Staging,
  table: Table,
  database: PublicDatabase,
  options: TablesOptions,
): Promise<Row[]> {
  const ndjson = await openNdjson(staging, table);
  let recent: Row[] = [];
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const batch of historyRows(staging, table)) {
      database.insert(table, batch);
      await ndjson.add(batch);
      recent = [...recent, ...batch].slice(-RECENT_ROWS);
      yield batch;
    }
  }
  await writeYears(staging, table, rows(), options);
  await ndjson.finish();
  return recent;
}

interface YearFormat {
  ending: string;
  /** Whether the file of a closed year never changes. A workbook also names the publisher and the licence, and explains the columns, which may. */
  isFinal: boolean;
  open(table: Table, options: TablesOptions): TableFile;
}

/** The formats with a file for each year. */
const BY_YEAR: readonly YearFormat[] = [
  { ending: '.parquet', isFinal: true, open: (table) => new ParquetFile(table) },
  {
    ending: '.xlsx',
    isFinal: false,
    open: (table, { organisation }) => new XlsxFile(table, organisation),
  },
];

async function writeYears(
  staging: Staging,
  table: Table,
  rows: AsyncIterable<Row[]>,
  options: TablesOptions,
): Promise<void> {
  const openYear = yearOf(options.facts.timestamp);
  const blocks = blocksOf(rows, timeColumn(table));
  let next = await blocks.next();
  while (!next.done) {
    const { year } = next.value;
    async function* ofYear(): AsyncGenerator<Row[]> {
      for (; !next.done && next.value.year === year; next = await blocks.next()) yield next.value.rows;
    }
    const files: RowFile[] = [];
    for (const { ending, isFinal, open } of BY_YEAR) {
      const about = formFile(table, yearPath(table, year, ending), isFinal && year < openYear);
      if (!(await stays(staging, table, year, about))) files.push({ about, content: open(table, options) });
    }
    await streamFiles(staging, files, ofYear());
  }
}

/** Takes over a year's file: one that never changes, or one that the same program would make of the same rows. */
async function stays(
  staging: Staging,
  table: Table,
  year: number,
  { path, immutable }: RowFile['about'],
): Promise<boolean> {
  const before = staging.previous?.manifest;
  if (immutable && staging.before(path)?.immutable && (await staging.canCarry(path))) {
    await staging.carry(path);
    return true;
  }
  const wasOver = before !== undefined && year < yearOf(before.timestamp);
  return !immutable && staging.isSame(wasOver ? [] : [table.artifact.path]) && staging.takeOver(path);
}

/** Regroups rows into blocks of BLOCK_ROWS, each of one year; only the last of a year may have fewer. `column` holds their time. */
async function* blocksOf(
  batches: AsyncIterable<Row[]>,
  column: number,
): AsyncGenerator<{ year: number; rows: Row[] }> {
  let year = Number.NaN;
  let block: Row[] = [];
  for await (const batch of batches)
    for (const row of batch) {
      const rowYear = yearOf(row[column] as string);
      if (block.length === BLOCK_ROWS || (block.length > 0 && rowYear !== year)) {
        yield { year, rows: block };
        block = [];
      }
      year = rowYear;
      block.push(row);
    }
  if (block.length > 0) yield { year, rows: block };
}

function aboutOf({ facts, baseUrl, organisation }: TablesOptions): Record<string, string> {
  return {
    title: `${organisation.name}: all public tables`,
    publisher: organisation.name,
    as_of: facts.timestamp,
    source: `${baseUrl}/`,
    licence: organisation.licence.url,
    ledger_events: String(facts.ledger.size),
    ledger_root: facts.ledger.root,
    software: facts.software,
    order: 'Rows of tables that grow are oldest first.',
  };
}
