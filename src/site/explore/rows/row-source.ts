import { type Cell, csvRow, inertCell } from '../../../../pipeline/artifacts/format/csv.ts';
import type { Row } from '../../../../pipeline/formats/columns.ts';
import { readTable } from '../../../../pipeline/formats/read-rows.ts';
import type { Table } from '../../../../pipeline/formats/tables.ts';
import { CannotRead, NeedsConsent } from '../../layout/worker-jobs.ts';
import { type Cells, cellText, csvText, selectRows } from './cells.ts';
import { type Group, groupsOf, mayHave, ParquetRows } from './parquet-rows.ts';
import { type Fetch, refused, remoteFile, type Traffic } from './remote-file.ts';
import { type Filter, isTime, ROWS_A_PAGE, type Selection } from './selection.ts';
import type { ShownRow, TableAbout } from './table-about.ts';

export interface PageOfRows {
  /** Rows of the selection. */
  total: number;
  rows: ShownRow[];
}

/** A saved selection has at most so many bytes: more is for the whole file. */
const LONGEST_CSV = 128 << 20;
const ROWS_AT_ONCE = 20_000;

/** Reads what a selection needs of a table, and no more. `allowed`: bytes that may be read without asking again. */
export abstract class RowSource {
  protected readonly about: TableAbout;
  #selected: { key: string; places: readonly number[] } | null = null;

  constructor(about: TableAbout) {
    this.about = about;
  }

  async page({ page, ...selection }: Selection, allowed: number): Promise<PageOfRows> {
    const places = await this.#select(selection, allowed);
    const shown = places.slice((page - 1) * ROWS_A_PAGE, page * ROWS_A_PAGE);
    return { total: places.length, rows: await this.shown(shown, allowed) };
  }

  /** The selected rows as a CSV file, in the order of the selection. */
  async csv({ page: _, ...selection }: Selection, allowed: number): Promise<Blob> {
    const places = await this.#select(selection, allowed);
    const parts = [csvRow(this.about.columns.map(({ name }) => name))];
    let length = 0;
    for (let at = 0; at < places.length; at += ROWS_AT_ONCE) {
      const rows = await this.rows(places.slice(at, at + ROWS_AT_ONCE), allowed, places);
      const text = rows.map((row) => csvLine(this.about, row, inertCell)).join('');
      length += text.length;
      if (length > LONGEST_CSV)
        throw new CannotRead('The selection is longer than 128 MB. Narrow it, or download the whole file.');
      parts.push(text);
    }
    return new Blob(parts, { type: 'text/csv' });
  }

  async #select(selection: Omit<Selection, 'page'>, allowed: number): Promise<readonly number[]> {
    const key = JSON.stringify(selection);
    if (this.#selected?.key !== key) this.#selected = { key, places: await this.select(selection, allowed) };
    return this.#selected.places;
  }

  protected abstract select(selection: Omit<Selection, 'page'>, allowed: number): Promise<readonly number[]>;
  protected abstract rows(
    places: readonly number[],
    allowed: number,
    all?: readonly number[],
  ): Promise<Row[]>;

  protected async shown(places: readonly number[], allowed: number): Promise<ShownRow[]> {
    const rows = await this.rows(places, allowed);
    return rows.map((row) => shownRow(this.about, row));
  }
}

/** A row as the page shows it: of a CSV file, as the file has it. */
export function shownRow(about: Pick<TableAbout, 'proof' | 'columns' | 'mediaType'>, row: Row): ShownRow {
  const isCsv = about.mediaType.startsWith('text/csv');
  return {
    cells: row.map((cell, at) => (isCsv ? csvText(cell, about.columns[at]!.type) : cellText(cell))),
    line: about.proof === 'csv' ? csvLine(about, row).trimEnd() : null,
  };
}

function csvLine(
  { columns }: Pick<TableAbout, 'columns'>,
  row: Row,
  then = (text: string): Cell => text,
): string {
  return csvRow(row.map((cell, at) => then(csvText(cell, columns[at]!.type))));
}

/** A file that is read whole. */
class WholeFile extends RowSource {
  readonly #rows: readonly Row[];
  readonly #lines: readonly string[];

  constructor(about: TableAbout, text: string) {
    super(about);
    this.#rows = readTable(tableOf(about), text);
    this.#lines = about.proof === 'json' ? linesOf(text) : [];
  }

  protected override async select(selection: Omit<Selection, 'page'>): Promise<number[]> {
    const { columns } = this.about;
    const all = this.#rows.map((_, index) => index);
    return selectRows(all, selection, columns, (name) => {
      const at = columns.findIndex((column) => column.name === name);
      return this.#rows.map((row) => row[at]!);
    });
  }

  protected override async rows(places: readonly number[]): Promise<Row[]> {
    return places.map((place) => this.#rows[place]!);
  }

  protected override async shown(places: readonly number[]): Promise<ShownRow[]> {
    return places.map((place) => {
      const shown = shownRow(this.about, this.#rows[place]!);
      return { ...shown, line: shown.line ?? this.#lines[place] ?? null };
    });
  }
}

/** A row of a history in JSON is a line. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/,$/, ''))
    .filter((line) => line.startsWith('{'));
}

/** What `readTable` uses of a table. */
function tableOf({ columns, from, named, parent, path, mediaType }: TableAbout): Table {
  return { columns, from, named, parent, artifact: { path, mediaType } } as unknown as Table;
}

/** A table of which only the groups and columns are read that a selection needs. */
class PartlyRead extends RowSource {
  readonly #parquet: ParquetRows;

  constructor(about: TableAbout, traffic: Traffic, fetch: Fetch) {
    super(about);
    const open = (path: string, bytes: number) => remoteFile(path, bytes, traffic, fetch);
    this.#parquet = new ParquetRows(about.parts, about.columns, open);
  }

  /** The groups that may have rows of the selection. Only the columns that it names are read of them. */
  protected override async select(selection: Omit<Selection, 'page'>, allowed: number): Promise<number[]> {
    const { columns, day } = this.about;
    const { sort, filters } = selection;
    const groups = (await this.#parquet.groups()).filter((group) =>
      filters.every((filter) => this.#mayMatch(group, filter)),
    );
    const names = [
      ...new Set([
        ...filters.map(({ column }) => column),
        ...(sort ? [sort.column] : []),
        ...(day === null ? [] : [day]),
      ]),
    ];
    this.#ask(
      groups,
      names,
      allowed,
      `to ${sort ? 'sort' : 'filter'} ${this.about.rows.toLocaleString('en-GB')} rows`,
    );
    await this.#parquet.read(groups, names);
    const cells = new Map(names.map((name) => [name, this.#parquet.cells(groups, name)]));
    const inFile = this.#fileOrder(groups, day === null ? null : cells.get(day)!);
    return selectRows(inFile, selection, columns, (name) => cells.get(name)!);
  }

  /** The rows of these groups as the file has them, newest first. */
  #fileOrder(groups: readonly Group[], days: Cells | null): number[] {
    const places: number[] = [];
    for (const { first, rows } of groups) for (let at = 0; at < rows; at += 1) places.push(first + at);
    if (!days) return places.reverse();
    // Within a day the order is that of the file; the sort is stable.
    return places.sort((one, other) =>
      days[one]! === days[other]! ? 0 : days[one]! < days[other]! ? 1 : -1,
    );
  }

  #mayMatch(group: Group, { column, operator, values }: Filter): boolean {
    const { type } = this.about.columns.find(({ name }) => name === column)!;
    if (!isTime(type) && type !== 'integer' && type !== 'number') return true;
    const [first = '', second = first] = values;
    const read = (text: string) => (isTime(type) ? text : Number(text));
    // A day stands for all its times: `2026-01-31~` comes after each of them.
    const end = (text: string) => (isTime(type) ? `${text}~` : Number(text));
    if (operator === 'eq' || operator === 'between')
      return mayHave(group, column, type, read(first), end(second));
    if (operator === 'gt') return mayHave(group, column, type, read(first), null);
    if (operator === 'lt') return mayHave(group, column, type, null, end(first));
    return true;
  }

  protected override async rows(places: readonly number[], allowed: number, all = places): Promise<Row[]> {
    const groups = groupsOf(await this.#parquet.groups(), all);
    const names = this.about.columns.map(({ name }) => name);
    const use =
      all === places ? 'to show these rows, which are far apart in the files' : 'to save the selection';
    this.#ask(groups, names, allowed, use);
    return this.#parquet.rows(places);
  }

  #ask(groups: readonly Group[], names: readonly string[], allowed: number, use: string): void {
    const bytes = this.#parquet.missing(groups, names);
    if (bytes > allowed) throw new NeedsConsent(bytes, use);
  }
}

/** Opens a table in the way that reads least. */
export async function openRows(about: TableAbout, traffic: Traffic, fetch: Fetch): Promise<RowSource> {
  if (about.bytes > about.mostWhole && about.parts.length > 0) return new PartlyRead(about, traffic, fetch);
  traffic.requests += 1;
  const response = await fetch(`/${about.path}`, {});
  if (response.status !== 200) throw await refused(response, about.path);
  const text = await response.text();
  traffic.bytes += new TextEncoder().encode(text).length;
  return new WholeFile(about, text);
}
