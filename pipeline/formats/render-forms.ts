import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Organisation } from '../artifacts/documents/organisation.ts';
import { asDiskErrors } from '../disk/durable.ts';
import { yearOf } from '../model/period.ts';
import { dayOf } from '../model/window.ts';
import type { Staging } from '../release/staging/staging.ts';
import type { Row } from './columns.ts';
import { type FormsState, formatFormsState, parseFormsState, type TableState } from './forms-state.ts';
import { countRows } from './history-rows.ts';
import { formatNdjson, writeNdjson } from './ndjson.ts';
import { readTable } from './read-rows.ts';
import { formFile, linkFile } from './record-file.ts';
import { writeSqlite } from './sqlite/write-sqlite.ts';
import { formPath, TABLES, type Table } from './tables.ts';
import { parquetFiles, writeParquet } from './write-parquet.ts';
import { formatXlsx, writeXlsx } from './xlsx/write-xlsx.ts';

/** Kept by each run for the next. */
const STATE = 'extras/state.json';

export interface FormsOptions {
  /** Time of the last event. */
  asOf: string;
  baseUrl: string;
  organisation: Organisation;
  /** Name and version of this software. */
  software: string;
  ledger: { size: number; root: string };
}

/**
 * Writes every public table as JSON lines, as a workbook and as Parquet files by year, and all of them into one SQLite file.
 * The data files must be staged before. The files of growing tables extend those of the previous release.
 */
export async function renderForms(staging: Staging, options: FormsOptions): Promise<void> {
  // Files that state another licence are written again.
  const maker = `${options.software}, ${JSON.stringify(options.organisation.licence)}`;
  const before = await readState(staging, maker);
  const small = new Map<string, Row[]>();
  const states: Record<string, TableState> = {};
  for (const table of TABLES) {
    if (table.grows)
      states[table.name] = await writeGrowing(staging, table, before?.[table.name] ?? null, options);
    else small.set(table.name, await writeSmall(staging, table, options));
  }
  const today = dayOf(options.asOf);
  await writeSqlite(staging, { today, extendsHistory: before !== null, small, about: aboutOf(options) });
  await keepState(staging, states, maker);
}

async function writeGrowing(
  staging: Staging,
  table: Table,
  before: TableState | null,
  { asOf, organisation }: FormsOptions,
): Promise<TableState> {
  await writeNdjson(staging, table);
  if (before && (await keepFiles(staging, table, before, asOf))) return before;
  const sheets = await writeXlsx(staging, table, before?.sheets ?? [], organisation.licence);
  const { year, groups } = await writeParquet(staging, table, before, yearOf(asOf));
  return { rows: countRows(staging, table), year, groups, sheets };
}

/** Keeps the files of the previous release if there is no new row and the year is the same. */
async function keepFiles(
  staging: Staging,
  table: Table,
  { rows }: TableState,
  asOf: string,
): Promise<boolean> {
  const { timestamp } = staging.previous!.manifest;
  if (rows !== countRows(staging, table) || yearOf(timestamp) !== yearOf(asOf)) return false;
  await linkFile(staging, formPath(table, '.xlsx'));
  for (const { path, immutable } of parquetFiles(staging, table))
    await (immutable ? staging.carry(path) : linkFile(staging, path));
  return true;
}

async function writeSmall(staging: Staging, table: Table, { organisation }: FormsOptions): Promise<Row[]> {
  const path = join(staging.dir, 'public', table.artifact.path);
  const rows = readTable(table, await asDiskErrors(path, () => readFile(path, 'utf8')));
  for (const [form, content] of [
    ['.ndjson', formatNdjson(table, rows).join('')],
    ['.xlsx', formatXlsx(table, rows, organisation.licence)],
  ] as const) {
    const { media_type: mediaType, ...file } = formFile(table, form, { rows: rows.length });
    await staging.write({ ...file, mediaType, content });
  }
  return rows;
}

function aboutOf({ asOf, baseUrl, organisation, software, ledger }: FormsOptions): Record<string, string> {
  return {
    title: `${organisation.name}: all public tables`,
    publisher: organisation.name,
    as_of: asOf,
    source: `${baseUrl}/`,
    licence: organisation.licence.url,
    ledger_events: String(ledger.size),
    ledger_root: ledger.root,
    software,
    order: 'Rows of tables that grow are oldest first.',
  };
}

/** Null if nothing can be extended, so that every file is written from the histories. */
async function readState(staging: Staging, software: string): Promise<FormsState | null> {
  const text = await staging.keptBefore(STATE);
  return text === null ? null : parseFormsState(text, software);
}

async function keepState(staging: Staging, states: FormsState, software: string): Promise<void> {
  staging.keep(STATE, await staging.folder.write(STATE, Buffer.from(formatFormsState(states, software))));
}
