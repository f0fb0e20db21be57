import type { Artifact } from '../../../../pipeline/artifacts/artifact.ts';
import { fieldsOf } from '../../../../pipeline/artifacts/data-dictionary.ts';
import { HISTORIES } from '../../../../pipeline/artifacts/table.ts';
import type { ChartColumn } from '../../../../pipeline/charts/chart-table.ts';
import type { Column, ColumnType } from '../../../../pipeline/formats/columns.ts';
import { TABLES, type Table } from '../../../../pipeline/formats/tables.ts';
import type { SiteRelease } from '../../layout/release.ts';
import { otherFormats } from '../other-formats.ts';

/**
 * The structure of a file, which decides how to read it. list: JSON whose rows are the objects in the list `member`; map:
 * JSON whose rows are the named objects in `member`; record: JSON of one row; tree: JSON without a table.
 */
export type Shape =
  | { kind: 'csv'; time: Pick<Column, 'name' | 'type'> | null; plot: CsvPlot | null }
  | { kind: 'list' | 'map'; member: string }
  | { kind: 'record' | 'tree' | 'bibtex' | 'pdf' };

/** What an example plots over time: a number, one line per `by`, or daily sums if each row is an event. */
export interface CsvPlot {
  value: string;
  by: string | null;
  sum: boolean;
}

/** Everything that the examples need to know about a file. */
export interface Source {
  url: string;
  /** The file name for downloads, with an ending: `supply.json`. */
  fileName: string;
  /** Whether requests need a key. */
  restricted: boolean;
  shape: Shape;
  /** The key column of the first table of a `map`, in the other formats. */
  columns: readonly string[];
  /** Numbers, from 1, of the columns of a CSV that are not numbers. */
  texts: readonly number[];
  /** The column that holds exact amounts, for which a double may be too short; null if none does. */
  exact: string | null;
  /** Rows are newest first, so differences between rows need them sorted. */
  isNewestFirst: boolean;
  /** The address at which this version stays; null for a file without one. */
  pinned: { url: string; sha256: string } | null;
  /** The URLs of the other formats in this release. */
  ndjson: string | null;
  /** Of a table that grows, the workbook of the newest year. */
  xlsx: string | null;
  parquet: readonly string[];
}

const TIMES: readonly ColumnType[] = ['date', 'datetime'];
const NUMBERS: readonly ColumnType[] = ['integer', 'number', 'decimal'];

export function sourceOf(release: SiteRelease, artifact: Artifact): Source {
  const { path, restricted } = artifact;
  const table = TABLES.find((one) => one.artifact.path === path) ?? null;
  const [{ forms } = { forms: [] }] = otherFormats(artifact, release);
  const urls = (ending: string) =>
    forms
      .filter(({ file }) => file.path.endsWith(ending))
      .map(({ file }) => `${release.baseUrl}/${file.path}`);
  const columns = table?.columns ?? [];
  const sha256 = restricted ? undefined : release.find(path)?.sha256;
  return {
    url: `${release.baseUrl}/${path}${isExport(artifact) ? exportQuery(release) : ''}`,
    fileName: fileNameOf(artifact),
    restricted,
    shape: withoutPlot(shapeOf(artifact, table), release.find(path)?.rows === 0),
    columns: columns.map(({ name }) => name),
    texts: columns.flatMap(({ type }, index) => (NUMBERS.includes(type) ? [] : [index + 1])),
    exact: columns.find(({ type }) => type === 'decimal')?.name ?? null,
    isNewestFirst: artifact.kind === 'history',
    pinned: sha256 === undefined ? null : { url: `${release.baseUrl}/${path}?sha256=${sha256}`, sha256 },
    ndjson: urls('.ndjson')[0] ?? null,
    xlsx: urls('.xlsx').at(-1) ?? null,
    parquet: urls('.parquet'),
  };
}

/** The columns of charts that hold times. */
const TIME_TYPES: Readonly<Record<string, ColumnType>> = {
  date: 'date',
  from: 'date',
  timestamp: 'datetime',
};

/** The numbers of a chart as a file, `/charts/supply.csv`. */
export function chartSource(
  release: SiteRelease,
  id: string,
  { columns }: { columns: readonly Pick<ChartColumn, 'name' | 'unit'>[] },
): Source {
  const isText = ({ unit }: { unit: string }) => unit === '';
  const time = columns.find(({ name }) => name in TIME_TYPES);
  return {
    url: `${release.baseUrl}/charts/${id}.csv`,
    fileName: `${id}.csv`,
    restricted: false,
    shape: { kind: 'csv', time: time ? { name: time.name, type: TIME_TYPES[time.name]! } : null, plot: null },
    columns: columns.map(({ name }) => name),
    texts: columns.flatMap((column, index) => (isText(column) ? [index + 1] : [])),
    exact: null,
    isNewestFirst: false,
    pinned: null,
    ndjson: null,
    xlsx: null,
    parquet: [],
  };
}

/** Libraries refuse to plot a table without rows. */
function withoutPlot(shape: Shape, isEmpty: boolean): Shape {
  return isEmpty && shape.kind === 'csv' ? { ...shape, plot: null } : shape;
}

/** `economy/supply` → `supply.json`, `government/ledger/export` → `export.csv`. */
export function fileNameOf({ path, mediaType }: Pick<Artifact, 'path' | 'mediaType'>): string {
  const name = path.split('/').at(-1)!;
  if (name.includes('.')) return name;
  return `${name}${mediaType === 'application/json' ? '.json' : '.csv'}`;
}

/** Whether the file is assembled per request. */
export function isExport({ path }: Artifact): boolean {
  return HISTORIES.some((history) => history.path === path && !history.assembled);
}

/** The query for the last day as CSV, because the whole audit trail is long. */
function exportQuery({ draft }: SiteRelease): string {
  return `?format=csv&from=${draft.timestamp.slice(0, 10)}`;
}

function shapeOf(artifact: Artifact, table: Table | null): Shape {
  const { mediaType } = artifact;
  if (mediaType === 'application/pdf') return { kind: 'pdf' };
  if (mediaType.startsWith('application/x-bibtex')) return { kind: 'bibtex' };
  if (mediaType.startsWith('text/csv')) return csvShape(artifact, table);
  if (table === null) return firstList(artifact);
  if (table.from === '') return { kind: 'record' };
  const member = table.from.replace(/(\[\]|\.<name>)$/, '');
  return { kind: table.named ? 'map' : 'list', member };
}

function csvShape(artifact: Artifact, table: Table | null): Shape {
  const time = table?.columns.find(({ type }) => TIMES.includes(type)) ?? exportTime(artifact);
  return { kind: 'csv', time, plot: table && plotOf(table) };
}

function plotOf({ columns, key, grows }: Table): CsvPlot | null {
  const number = columns.find(({ type }) => NUMBERS.includes(type));
  if (!number) return null;
  const isEvents = grows && key.length === 0;
  // Events without an amount (a new multiplier) give no line and no sum.
  if (isEvents && number.type !== 'decimal') return null;
  return { value: number.name, by: key[1] ?? null, sum: isEvents };
}

/** The columns of the audit trail, which is not among the public tables. */
function exportTime(artifact: Artifact): Column | null {
  const field = fieldsOf(artifact).find(({ unit }) => unit === 'ISO 8601 date-time');
  return field ? { ...field, type: 'datetime', nullable: false } : null;
}

function firstList(artifact: Artifact): Shape {
  const list = fieldsOf(artifact).find(({ name, type }) => type === 'array of object' && !/[.[]/.test(name));
  return list ? { kind: 'list', member: list.name } : { kind: 'tree' };
}

/** One complete example to paste and run. */
export interface Snippet {
  /** `Python (pandas)`. */
  tool: string;
  /** What a reader must know before running it. */
  note?: string;
  code: string;
  /** The same for exactly this version: its permanent address, and its bytes checked. */
  pinned?: string;
}

/** Joins the lines of an example and drops null ones. */
export function lines(...all: (string | null)[]): string {
  return all.filter((line) => line !== null).join('\n');
}
