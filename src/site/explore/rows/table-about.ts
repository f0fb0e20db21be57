import type { ReadableTable } from '../../../../pipeline/formats/read-rows.ts';
import { isPlainName } from '../../../../pipeline/words/plain-name.ts';

/** Folders of pages about what a row names. */
export type EntityFolder = 'sentinels' | 'decisions' | 'deliberations';

/** What the page tells its script about the table. */
export interface TableAbout extends ReadableTable {
  /** `mic_history` */
  name: string;
  bytes: number;
  sha256: string;
  rows: number;
  /** Longer files are not read whole. */
  mostWhole: number;
  /** Its Parquet files, oldest first; empty for a table without. */
  parts: readonly { path: string; bytes: number }[];
  /**
   * How the file's rows follow from those of the Parquet files: from the last to the first, or day by day from the last, in which case the
   * column of the day is named.
   */
  day: string | null;
  /** What proves a row: its line in the file. Null: no row can be proved by itself. */
  proof: 'csv' | 'json' | null;
  /** Columns whose cells have a page, and its folder. */
  links: Readonly<Record<string, EntityFolder>>;
  /** Cells whose page has another name than the cell in lower case. */
  renamed: Readonly<Record<string, string>>;
}

/** A table as data. */
export function readable({
  columns,
  from,
  named,
  parent,
  artifact: { path, mediaType },
}: ReadableTable): ReadableTable {
  const own = columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
  return { columns: own, from, named, parent, artifact: { path, mediaType } };
}

/** The page about what a cell names; null if there is none. */
export function entityHref(
  { links, renamed }: Pick<TableAbout, 'links' | 'renamed'>,
  column: string,
  cell: string,
): string | null {
  const folder = links[column];
  if (folder === undefined || cell === '') return null;
  const plain = isPlainName(cell) ? `/${folder}/${cell.toLowerCase()}/` : null;
  return renamed[`${folder} ${cell}`] ?? plain;
}

/** Longer rows make no address. */
const LONGEST_ROW = 1500;

/** Where a row is proved, from its line in the file. */
export function proofHref(line: string | null): string | null {
  return line === null || line.length > LONGEST_ROW ? null : `/verification/#row=${encodeURIComponent(line)}`;
}

/** A row with its line in the file, where that can be proved. */
export interface ShownRow {
  cells: string[];
  line: string | null;
}
