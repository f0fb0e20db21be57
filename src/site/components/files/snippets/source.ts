import type { Artifact } from '../../../../../pipeline/artifacts/artifact.ts';
import { fieldsOf } from '../../../../../pipeline/artifacts/data-dictionary.ts';
import { HISTORIES } from '../../../../../pipeline/artifacts/table.ts';
import type { Column, ColumnType } from '../../../../../pipeline/forms/columns.ts';
import { TABLES, type Table } from '../../../../../pipeline/forms/tables.ts';
import type { SiteRelease } from '../../release.ts';
import { otherForms } from '../other-forms.ts';

/**
 * How a file is made, which decides how it is read. list: JSON whose rows are objects in the list `member`; map: JSON whose
 * rows are the named objects of `member`; record: JSON of one row; tree: JSON without a table.
 */
export type Shape =
  | { kind: 'csv'; time: Column | null; plot: CsvPlot | null }
  | { kind: 'list' | 'map'; member: string }
  | { kind: 'record' | 'tree' | 'bibtex' | 'pdf' };

/** What can be drawn over time: a number as it is, one for each `by`, or its sums by day where each row is an event. */
export interface CsvPlot {
  value: string;
  by: string | null;
  sum: boolean;
}

/** What examples of reading a file are written from. */
export interface Source {
  url: string;
  /** To save it under, with an ending: `supply.json`. */
  fileName: string;
  /** Whether a key has to be sent. */
  restricted: boolean;
  shape: Shape;
  /** Of the first table of a `map`, by which the rows can be read in other forms. */
  columns: readonly string[];
  /** Addresses of other forms, as far as the release has them. */
  ndjson: string | null;
  xlsx: string | null;
  parquet: readonly string[];
}

const TIMES: readonly ColumnType[] = ['date', 'datetime'];
const NUMBERS: readonly ColumnType[] = ['integer', 'number', 'decimal'];

export function sourceOf(release: SiteRelease, artifact: Artifact): Source {
  const { path, restricted } = artifact;
  const table = TABLES.find((one) => one.artifact.path === path) ?? null;
  const [{ forms } = { forms: [] }] = otherForms(artifact, release.draft.files);
  const urls = (ending: string) =>
    forms
      .filter(({ file }) => file.path.endsWith(ending))
      .map(({ file }) => `${release.baseUrl}/${file.path}`);
  return {
    url: `${release.baseUrl}/${path}${isExport(artifact) ? exportQuery(release) : ''}`,
    fileName: fileNameOf(artifact),
    restricted,
    shape: shapeOf(artifact, table),
    columns: (table?.columns ?? []).map(({ name }) => name),
    ndjson: urls('.ndjson')[0] ?? null,
    xlsx: urls('.xlsx')[0] ?? null,
    parquet: urls('.parquet'),
  };
}

/** `economy/supply` → `supply.json`, `government/ledger/export` → `export.csv`. */
export function fileNameOf({ path, mediaType }: Pick<Artifact, 'path' | 'mediaType'>): string {
  const name = path.split('/').at(-1)!;
  if (name.includes('.')) return name;
  return `${name}${mediaType === 'application/json' ? '.json' : '.csv'}`;
}

/** What is put together for each request. */
export function isExport({ path }: Artifact): boolean {
  return HISTORIES.some((history) => history.path === path && !history.assembled);
}

/** As CSV, and of the last day: a whole audit trail is long. */
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
  // Events that are not amounts (a multiplier that was set) make no line and no sum.
  if (isEvents && number.type !== 'decimal') return null;
  return { value: number.name, by: key[1] ?? null, sum: isEvents };
}

/** The audit trail is no public table, so its columns are not among those of the tables. */
function exportTime(artifact: Artifact): Column | null {
  const field = fieldsOf(artifact).find(({ unit }) => unit === 'ISO 8601 date-time');
  return field ? { ...field, type: 'datetime', nullable: false } : null;
}

function firstList(artifact: Artifact): Shape {
  const list = fieldsOf(artifact).find(({ name, type }) => type === 'array of object' && !/[.[]/.test(name));
  return list ? { kind: 'list', member: list.name } : { kind: 'tree' };
}

/** One example, complete: to be pasted and run. */
export interface Snippet {
  /** `Python (pandas)`. */
  tool: string;
  /** What has to be said before it is run. */
  note?: string;
  code: string;
}

/** The lines of an example; those that a case leaves out are null. */
export function lines(...all: (string | null)[]): string {
  return all.filter((line) => line !== null).join('\n');
}
