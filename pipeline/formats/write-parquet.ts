import { yearText } from '../model/period.ts';
import type { ManifestFile } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';
import type { Row } from './columns.ts';
import type { TableState } from './forms-state.ts';
import { blocksOf, historyRows } from './history-rows.ts';
import { GROUP_ROWS, ParquetFile, type SealedGroups } from './parquet-file.ts';
import { formFile, previousOf, recordFile } from './record-file.ts';
import { formPath, type Table, timeColumn } from './tables.ts';
import { assertUnchanged, readRange, writeChunks } from './write-chunks.ts';

const NO_GROUPS: SealedGroups = { groups: [], bytes: 0 };

type ParquetState = Pick<TableState, 'year' | 'groups'>;
/** Stands for no year: 0 is one. */
const NO_YEAR = -1;
const NOTHING: ParquetState = { year: NO_YEAR, groups: NO_GROUPS };

/**
 * A growing table as one Parquet file per year. The file of a closed year is written once and kept by every later run; of
 * the current year's file, the full groups are copied. `openYear`: the year of the last event.
 */
export async function writeParquet(
  staging: Staging,
  table: Table,
  before: ParquetState | null,
  openYear: number,
): Promise<ParquetState> {
  const closed = await carryClosed(staging, table);
  const first = closed.reduce((sum, { rows }) => sum + rows!, 0);
  let state = before ?? NOTHING;
  const sealedRows = state.groups.groups.length * GROUP_ROWS;
  const parts = divideByYear(historyRows(staging, table, first + sealedRows), timeColumn(table));
  let part = await parts.next();
  const nextYear = () => (part.done ? NO_YEAR : part.value.year);
  const begin = state.year === NO_YEAR ? nextYear() : state.year;
  for (let year = begin; year !== NO_YEAR; year = nextYear()) {
    const rowsOfYear = async function* () {
      for (; !part.done && part.value.year === year; part = await parts.next()) yield part.value.rows;
    };
    const groups = state.year === year ? state.groups : NO_GROUPS;
    const file = { year, isOver: year < openYear, groups };
    state = { year, groups: await writeYear(staging, table, file, rowsOfYear()) };
  }
  return state.year === openYear ? state : NOTHING;
}

function pathOf(table: Table, year: number): string {
  return formPath(table, `-${yearText(year)}.parquet`);
}

/** The Parquet files of a table in the previous release, oldest year first. */
export function parquetFiles({ previous }: Staging, table: Table): ManifestFile[] {
  const [start, end] = formPath(table, '-|.parquet').split('|') as [string, string];
  return (previous?.manifest.files ?? []).filter(
    ({ path }) =>
      path.startsWith(start) && path.endsWith(end) && /^\d{4}$/.test(path.slice(start.length, -end.length)),
  );
}

/** Keeps the files of closed years. From the first damaged one on, all are written again. */
async function carryClosed(staging: Staging, table: Table): Promise<ManifestFile[]> {
  const carried: ManifestFile[] = [];
  for (const file of parquetFiles(staging, table)) {
    if (!file.immutable || !(await staging.canCarry(file.path))) break;
    await staging.carry(file.path);
    carried.push(file);
  }
  return carried;
}

interface YearFile extends ParquetState {
  isOver: boolean;
}

async function writeYear(
  staging: Staging,
  table: Table,
  { year, isOver, groups: sealed }: YearFile,
  rows: AsyncIterable<Row[]>,
): Promise<SealedGroups> {
  const path = pathOf(table, year);
  const parquet = new ParquetFile(table, sealed);
  const previous = sealed.bytes > 0 ? previousOf(staging, path) : null;
  let groups = sealed;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (previous) {
      await assertUnchanged(previous);
      yield* readRange(previous.path, 0, sealed.bytes);
    }
    for await (const block of blocksOf(rows, GROUP_ROWS)) yield parquet.add(block);
    const end = parquet.finish();
    groups = end.sealed;
    yield end.bytes;
  }
  staging.claim(path);
  const blob = await writeChunks(staging.folder, `public/${path}`, chunks());
  recordFile(staging, formFile(table, '.parquet', { path, rows: parquet.rows, immutable: isOver }), blob);
  return groups;
}

/** Splits batches where a year ends; `column` holds the rows' time. */
async function* divideByYear(
  batches: AsyncIterable<Row[]>,
  column: number,
): AsyncGenerator<{ year: number; rows: Row[] }> {
  const yearOf = (row: Row) => Number((row[column] as string).slice(0, 4));
  for await (const batch of batches) {
    for (let begin = 0; begin < batch.length; ) {
      const year = yearOf(batch[begin]!);
      let end = begin + 1;
      while (end < batch.length && yearOf(batch[end]!) === year) end += 1;
      yield { year, rows: batch.slice(begin, end) };
      begin = end;
    }
  }
}
