import type { Artifact, FileTable } from '../artifacts/artifact.ts';
import { ARTIFACTS } from '../artifacts/table.ts';
import { yearText } from '../model/period.ts';
import { type Column, columnsOf, eventColumnsOf, type Place } from './columns.ts';

/** One public table, whatever format it is written in. */
export interface Table extends Required<Pick<FileTable, 'name' | 'title' | 'key' | 'references'>> {
  artifact: Artifact;
  from: string;
  named: string | null;
  parent: Place['parent'];
  description: string;
  /** The columns of the file itself and of its workbook. */
  columns: readonly Column[];
  /** Those and, for a history, the events that each row follows from: the columns of JSON lines, Parquet and SQLite. */
  allColumns: readonly Column[];
  /** Whether its rows are only ever added to. Otherwise each run writes it again. */
  grows: boolean;
}

/** Every public table, in the order of the artifacts. */
export const TABLES: readonly Table[] = ARTIFACTS.flatMap((artifact) =>
  artifact.kind === 'printed' ? [] : artifact.tables.map((table) => toTable(artifact, table)),
);

/** Path of a table's file in another format: `economy/mic-history.ndjson`. */
export function formPath(
  { artifact: { area }, name }: Pick<Table, 'artifact' | 'name'>,
  ending: string,
): string {
  return `${area}/${name.replaceAll('_', '-')}${ending}`;
}

/** Path of the file with a growing table's rows of one year: `economy/mic-history-2026.parquet`. */
export function yearPath(table: Pick<Table, 'artifact' | 'name'>, year: number, ending: string): string {
  return formPath(table, `-${yearText(year)}${ending}`);
}

/** The year in such a path, `2026`; undefined for another path. */
export function yearIn(table: Pick<Table, 'artifact' | 'name'>, path: string): string | undefined {
  const stem = formPath(table, '-');
  return path.startsWith(stem) ? /^(\d{4})\.(?:parquet|xlsx)$/.exec(path.slice(stem.length))?.[1] : undefined;
}

/** Whether a path is that of a table's rows of one year in another format. */
export function isYearFile(path: string): boolean {
  return TABLES.some((table) => yearIn(table, path) !== undefined);
}

/** Index of the column that has the time of each row of a growing table: a date or a date-time. */
export function timeColumn({ columns }: Pick<Table, 'columns'>): number {
  return columns.findIndex(({ type }) => type === 'datetime' || type === 'date');
}

function toTable(artifact: Artifact, table: FileTable): Table {
  const { from = '', named = null, parent = null, references = {} } = table;
  const { columns, description } = columnsOf(artifact, { from, named, parent });
  return {
    ...table,
    artifact,
    from,
    named,
    parent,
    references,
    title: table.title ?? artifact.title,
    description: table.title ? description : artifact.description,
    columns,
    allColumns: [...columns, ...eventColumnsOf(artifact)],
    grows: artifact.kind === 'history',
  };
}
