import { type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { sha256 } from '#hashing';
import {
  type Cell,
  type CellValue,
  csvRow,
  formatCell,
  inertCell,
} from '../../../../pipeline/artifacts/format/csv.ts';
import type { ColumnType, Row, Value } from '../../../../pipeline/formats/columns.ts';
import { readTable } from '../../../../pipeline/formats/read-rows.ts';
import { formatAmount } from '../../../../pipeline/model/amount.ts';
import { DAY_MS } from '../../../../pipeline/words/day.ts';
import { bytesOf, CannotRead, NeedsConsent } from '../../layout/worker-jobs.ts';
import { momentText } from '../moment-text.ts';
import { ask, type Host, remoteFile } from './remote-file.ts';
import { type Cells, cellText, mayMatch, selectRows } from './select-rows.ts';
import { isNumber, isTime, ROWS_A_PAGE, type Selection } from './selection.ts';
import type { ShownRow, TableAbout } from './table-about.ts';

/** Rows that follow each other in a file and are read together, column by column. */
interface Group {
  /** The place of its first row among those of all groups. */
  first: number;
  rows: number;
  /** Bytes that reading a column takes. */
  bytes(name: string): number;
  /** The least and the greatest value of a column; null where the file does not say. */
  bounds(name: string): readonly [Value, Value] | null;
  /** The cells of these columns. */
  read(names: readonly string[]): Promise<readonly Cells[]>;
}

/** A file that is read whole is one group, which takes nothing more. */
function wholeFile({ columns }: TableAbout, rows: readonly Row[]): Group {
  const placeOf = (name: string) => columns.findIndex((column) => column.name === name);
  return {
    first: 0,
    rows: rows.length,
    bytes: () => 0,
    bounds: () => null,
    read: async (names) => names.map(placeOf).map((at) => rows.map((row) => row[at]!)),
  };
}

/** Enough for the footer of a million rows. */
const FOOTER_BYTES = 1 << 16;

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** hyparquet's defaults lose microseconds, and a U+FEFF at the beginning of a text. */
const PARSERS = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
  timestampFromMicroseconds: (micros: bigint) => (typeof micros === 'bigint' ? momentText(micros) : null),
  dateFromDays: (days: number) =>
    typeof days === 'number' ? new Date(days * DAY_MS).toISOString().slice(0, 10) : null,
} as never;

/** The groups of the table's Parquet files, oldest first. Those columns of one that are close together are one request. */
async function parquetGroups({ parts, columns }: TableAbout, host: Host): Promise<Group[]> {
  const groups: Group[] = [];
  const typeOf = (name: string) => columns.find((column) => column.name === name)!.type;
  for (const { path, bytes } of parts) {
    const file = remoteFile(host, path, bytes);
    const options = { initialFetchSize: FOOTER_BYTES, parsers: PARSERS };
    const metadata = keepingDigits(await parquetMetadataAsync(file, options));
    let start = 0;
    for (const group of metadata.row_groups) {
      const rows = Number(group.num_rows);
      const [rowStart, rowEnd] = [start, start + rows];
      const about = new Map(group.columns.map(({ meta_data: data }) => [data!.path_in_schema[0]!, data!]));
      const { first: before, rows: count } = groups.at(-1) ?? { first: 0, rows: 0 };
      groups.push({
        first: before + count,
        rows,
        bytes: (name) => Number(about.get(name)?.total_compressed_size ?? 0),
        bounds: (name) => boundsOf(typeOf(name), about.get(name)?.statistics),
        read: async (names) => {
          const wanted = { file, metadata, columns: [...names], rowStart, rowEnd, parsers: PARSERS };
          const objects = await parquetReadObjects(wanted);
          return names.map((name) => objects.map((object) => toValue(object[name], typeOf(name))));
        },
      });
      start = rowEnd;
    }
  }
  return groups;
}

/** hyparquet makes a double of a decimal, which does not hold it; without its type the bytes come as they are. */
function keepingDigits(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (element.converted_type !== 'DECIMAL') return element;
    const { converted_type: _, logical_type: __, ...raw } = element;
    return raw;
  });
  return { ...metadata, schema };
}

function boundsOf(
  type: ColumnType,
  { min_value: least, max_value: most }: { min_value?: unknown; max_value?: unknown } = {},
): readonly [Value, Value] | null {
  const isKnown = least !== undefined && most !== undefined && (isTime(type) || isNumber(type));
  return isKnown && type !== 'decimal' ? [String(least), String(most)] : null;
}

function toValue(stored: unknown, type: ColumnType): Value {
  if (stored === null || stored === undefined) return null;
  if (type === 'decimal') return formatAmount(signed(stored as Uint8Array));
  if (type === 'integer') return Number(stored);
  if (type === 'integers') return (stored as readonly bigint[]).map(Number);
  return stored as Value;
}

/** A big-endian integer in two's complement. */
function signed(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = value * 256n + BigInt(byte);
  return BigInt.asIntN(8 * bytes.length, value);
}

export interface PageOfRows {
  /** Rows of the selection. */
  total: number;
  rows: ShownRow[];
}

/** The most bytes of a saved selection: for more there is the whole file. */
const LONGEST_CSV = 128 << 20;
const LINES_AT_ONCE = 20_000;

/** Reads what a selection needs of a table, and no more. `allowed`: bytes that may be read without asking again. */
export class TableRows {
  readonly #about: TableAbout;
  readonly #groups: readonly Group[];
  /** Of a file whose rows its lines prove, by place. */
  readonly #lines: readonly string[] | null;
  readonly #names: readonly string[];
  /** By column, by the place of the row: those of the groups that were read. */
  readonly #cells = new Map<string, Value[]>();
  /** Which columns of a group were read. */
  readonly #read: ReadonlyMap<Group, Set<string>>;
  #selected: { key: string; places: readonly number[] } | null = null;

  constructor(about: TableAbout, groups: readonly Group[], lines: readonly string[] | null) {
    this.#about = about;
    this.#groups = groups;
    this.#lines = lines;
    this.#names = about.columns.map(({ name }) => name);
    this.#read = new Map(groups.map((group) => [group, new Set()]));
  }

  async page({ page, ...selection }: Selection, allowed: number): Promise<PageOfRows> {
    const places = await this.#select(selection, allowed);
    const shown = places.slice((page - 1) * ROWS_A_PAGE, page * ROWS_A_PAGE);
    const use = 'to show these rows, which are far apart in the files';
    await this.#load(this.#groupsOf(shown), this.#names, allowed, use);
    const rows = shown.map((place) => shownRow(this.#about, this.#row(place), this.#lines?.[place]));
    return { total: places.length, rows };
  }

  /** The selected rows as a CSV file, in the order of the selection. */
  async csv({ page: _, ...selection }: Selection, allowed: number): Promise<Blob> {
    const places = await this.#select(selection, allowed);
    await this.#load(this.#groupsOf(places), this.#names, allowed, 'to save the selection');
    const parts = [csvRow(this.#names)];
    let length = 0;
    for (let at = 0; at < places.length; at += LINES_AT_ONCE) {
      const some = places.slice(at, at + LINES_AT_ONCE);
      const text = some.map((place) => csvLine(this.#about, this.#row(place), inertCell)).join('');
      length += text.length;
      if (length > LONGEST_CSV)
        throw new CannotRead('The selection is longer than 128 MB. Narrow it, or download the whole file.');
      parts.push(text);
    }
    return new Blob(parts, { type: 'text/csv' });
  }

  /** The places of the selected rows. Of the groups that may have some, only the columns that it names are read. */
  async #select(selection: Omit<Selection, 'page'>, allowed: number): Promise<readonly number[]> {
    const key = JSON.stringify(selection);
    if (this.#selected?.key === key) return this.#selected.places;
    const { columns, day, rows } = this.#about;
    const { sort, filters } = selection;
    const typeOf = (name: string) => columns.find((column) => column.name === name)!.type;
    const groups = this.#groups.filter((group) =>
      filters.every((filter) => mayMatch(filter, typeOf(filter.column), group.bounds(filter.column))),
    );
    const named = [...filters.map(({ column }) => column), ...(sort ? [sort.column] : [])];
    const names = [...new Set(day === null ? named : [...named, day])];
    await this.#load(
      groups,
      names,
      allowed,
      `to ${sort ? 'sort' : 'filter'} ${rows.toLocaleString('en-GB')} rows`,
    );
    const places = selectRows(this.#fileOrder(groups), selection, columns, (name) => this.#cells.get(name)!);
    this.#selected = { key, places };
    return places;
  }

  /** The rows of these groups as the file has them: of Parquet files, which have the oldest first, turned round. */
  #fileOrder(groups: readonly Group[]): number[] {
    const { day, parts } = this.#about;
    const places = groups.flatMap(({ first, rows }) => Array.from({ length: rows }, (_, at) => first + at));
    if (parts.length === 0) return places;
    if (day === null) return places.reverse();
    // Within a day the order is that of the file; the sort is stable.
    const days = this.#cells.get(day)!;
    return places.sort((one, other) =>
      days[one]! === days[other]! ? 0 : days[one]! < days[other]! ? 1 : -1,
    );
  }

  /** Reads what is not kept of these columns of these groups. Throws NeedsConsent where it takes more bytes than are allowed. */
  async #load(
    groups: readonly Group[],
    names: readonly string[],
    allowed: number,
    use: string,
  ): Promise<void> {
    const missing = groups.flatMap((group) => {
      const wanted = names.filter((name) => !this.#read.get(group)!.has(name));
      return wanted.length > 0 ? [{ group, wanted }] : [];
    });
    const bytes = missing.reduce(
      (sum, { group, wanted }) => wanted.reduce((own, name) => own + group.bytes(name), sum),
      0,
    );
    if (bytes > allowed) throw new NeedsConsent(bytes, use);
    const { first = 0, rows = 0 } = this.#groups.at(-1) ?? {};
    const length = first + rows;
    for (const { group, wanted } of missing) {
      const read = await group.read(wanted);
      for (const [at, name] of wanted.entries()) {
        // Of full length from the start: an array that is filled from its end would be a map of places.
        const cells = this.#cells.get(name) ?? new Array<Value>(length);
        this.#cells.set(name, cells);
        for (let row = 0; row < group.rows; row += 1) cells[group.first + row] = read[at]![row]!;
        this.#read.get(group)!.add(name);
      }
    }
  }

  #groupsOf(places: readonly number[]): Group[] {
    const wanted = new Set(places.map((place) => this.#groups.findLast(({ first }) => first <= place)));
    return this.#groups.filter((group) => wanted.has(group));
  }

  #row(place: number): Row {
    return this.#names.map((name) => this.#cells.get(name)![place]!);
  }
}

/** A row as the page shows it: of a CSV file, as the file has it. `line`: of the file, where that proves the row. */
export function shownRow(
  about: Pick<TableAbout, 'proof' | 'columns' | 'artifact'>,
  row: Row,
  line: string | null = null,
): ShownRow {
  const isCsv = about.artifact.mediaType.startsWith('text/csv');
  return {
    cells: row.map((cell, at) => (isCsv ? csvText(cell, about.columns[at]!.type) : cellText(cell))),
    line: about.proof === 'csv' ? csvLine(about, row).trimEnd() : line,
  };
}

/** A cell of a CSV file: lists as JSON, since a text in one may have a comma. */
export function csvText(value: Value | undefined, type: ColumnType): string {
  return Array.isArray(value) ? JSON.stringify(value) : formatCell((value ?? null) as CellValue, type);
}

function csvLine(
  { columns }: Pick<TableAbout, 'columns'>,
  row: Row,
  then = (text: string): Cell => text,
): string {
  return csvRow(row.map((cell, at) => then(csvText(cell, columns[at]!.type))));
}

/** A row of a history in JSON is a line. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/,$/, ''))
    .filter((line) => line.startsWith('{'));
}

/** The file of which the page shows the first rows. Throws CannotRead for any other: a newer one, a part of it, the words of a proxy. */
async function wholeText(about: TableAbout, host: Host, cache: RequestCache = 'default'): Promise<string> {
  const { artifact, sha256: expected } = about;
  const { path } = artifact;
  // A server has another state of a real-time file, and that of the page where it is asked for it.
  const answer = await ask(host, (await host.isServed()) ? `${path}?sha256=${expected}` : path, { cache });
  const content = await bytesOf(`/${path}`, answer);
  host.traffic.bytes += content.byteLength;
  const hash = sha256();
  hash.update(new Uint8Array(content));
  const found = hash.digest();
  if (found === expected) return new TextDecoder().decode(content);
  // The browser may have kept that of an earlier release, or what a proxy once sent in its place.
  if (cache === 'default') return wholeText(about, host, 'reload');
  throw new CannotRead(
    `/${path}: expected SHA-256 ${expected}, that of the file of this page, found ${found}. If a newer release has another, load this page again.`,
  );
}

/** Opens a table in the way that reads least. */
export async function openRows(about: TableAbout, host: Host): Promise<TableRows> {
  if (about.bytes > about.mostWhole && about.parts.length > 0)
    return new TableRows(about, await parquetGroups(about, host), null);
  const text = await wholeText(about, host);
  const lines = about.proof === 'json' ? linesOf(text) : null;
  const whole = { ...about, parts: [], day: null };
  return new TableRows(whole, [wholeFile(about, readTable(about, text))], lines);
}
