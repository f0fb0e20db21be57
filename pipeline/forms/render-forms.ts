import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { yearOf } from '../model/period.ts';
import { dayOf } from '../model/window.ts';
import { asDiskErrors } from '../release/disk/durable.ts';
import type { Staging } from '../release/staging/staging.ts';
import { type ExtrasState, formatExtrasState, parseExtrasState, type TableState } from './extras-state.ts';
import { countRows } from './history-rows.ts';
import { formatNdjson } from './ndjson.ts';
import { readTable } from './read-rows.ts';
import { formFile, linkFile } from './record-file.ts';
import type { Row } from './row.ts';
import { writeSqlite } from './sqlite/write-sqlite.ts';
import { formPath, TABLES, type Table } from './tables.ts';
import { writeNdjson } from './write-ndjson.ts';
import { parquetFiles, writeParquet } from './write-parquet.ts';
import { formatXlsx, writeXlsx } from './xlsx/write-xlsx.ts';

/** Where a run keeps what the next one goes on from. */
const STATE = 'extras/state.json';

export interface FormsOptions {
  /** Time of the last event. */
  asOf: string;
  baseUrl: string;
  /** Name and version of this software. */
  software: string;
  ledger: { size: number; root: string };
}

/**
 * Every public table in the forms that programs ask for: JSON lines, a workbook, Parquet files by year, and all of them
 * in one SQLite file. The data files have to be staged. Files of tables that grow go on from those of the release
 * before.
 */
export async function renderForms(staging: Staging, options: FormsOptions): Promise<void> {
  const before = await readState(staging, options.software);
  const small = new Map<string, Row[]>();
  const states: Record<string, TableState> = {};
  for (const table of TABLES) {
    if (table.grows)
      states[table.name] = await writeGrowing(staging, table, before?.[table.name] ?? null, options);
    else small.set(table.name, await writeSmall(staging, table));
  }
  const today = dayOf(options.asOf);
  await writeSqlite(staging, { today, extendsHistory: before !== null, small, about: aboutOf(options) });
  await keepState(staging, states, options.software);
}

async function writeGrowing(
  staging: Staging,
  table: Table,
  before: TableState | null,
  { asOf }: FormsOptions,
): Promise<TableState> {
  await writeNdjson(staging, table);
  if (before && (await takeOver(staging, table, before, asOf))) return before;
  const sheets = await writeXlsx(staging, table, before?.sheets ?? []);
  const { year, groups } = await writeParquet(staging, table, before, yearOf(asOf));
  return { rows: countRows(staging, table), year, groups, sheets };
}

/** Without a new row, and in the same year, the files are those of the release before. */
async function takeOver(
  staging: Staging,
  table: Table,
  { rows }: TableState,
  asOf: string,
): Promise<boolean> {
  const then = staging.previous!.manifest.timestamp;
  if (rows !== countRows(staging, table) || yearOf(then) !== yearOf(asOf)) return false;
  await linkFile(staging, formPath(table, '.xlsx'));
  for (const { path, immutable } of parquetFiles(staging, table))
    await (immutable ? staging.carry(path) : linkFile(staging, path));
  return true;
}

async function writeSmall(staging: Staging, table: Table): Promise<Row[]> {
  const path = join(staging.dir, 'public', table.artifact.path);
  const rows = readTable(table, await asDiskErrors(path, () => readFile(path, 'utf8')));
  for (const [form, content] of [
    ['.ndjson', formatNdjson(table, rows).join('')],
    ['.xlsx', formatXlsx(table, rows)],
  ] as const) {
    const { media_type: mediaType, ...file } = formFile(table, form, { rows: rows.length });
    await staging.write({ ...file, mediaType, content });
  }
  return rows;
}

function aboutOf({ asOf, baseUrl, software, ledger }: FormsOptions): Record<string, string> {
  return {
    title: 'Cathedral Data Service: all public tables',
    as_of: asOf,
    source: `${baseUrl}/`,
    licence: 'https://creativecommons.org/licenses/by/4.0/',
    ledger_events: String(ledger.size),
    ledger_root: ledger.root,
    software,
    order: 'Rows of tables that grow are oldest first.',
  };
}

/** Null where there is nothing to go on from, and all is made from the histories. */
async function readState({ previous, reuse }: Staging, software: string): Promise<ExtrasState | null> {
  if (!reuse || !previous?.manifest.unlisted.some(({ file }) => file === STATE)) return null;
  const path = join(previous.dir, STATE);
  return parseExtrasState(await asDiskErrors(path, () => readFile(path, 'utf8')), software);
}

async function keepState(staging: Staging, states: ExtrasState, software: string): Promise<void> {
  staging.keep(STATE, await staging.folder.write(STATE, Buffer.from(formatExtrasState(states, software))));
}
