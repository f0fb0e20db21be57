import { type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { Column, ColumnType, Row, Value } from '../../../../pipeline/formats/columns.ts';
import { formatAmount } from '../../../../pipeline/model/amount.ts';
import { DAY_MS } from '../../../../pipeline/words/day.ts';
import type { Cells } from './cells.ts';
import type { RangedFile, Span } from './ranged-file.ts';

/** Enough for the footer of a million rows. */
const FOOTER_BYTES = 1 << 16;

/** hyparquet's defaults lose microseconds. */
const PARSERS = {
  timestampFromMicroseconds: (micros: bigint) => (typeof micros === 'bigint' ? momentText(micros) : null),
  dateFromDays: (days: number) =>
    typeof days === 'number' ? new Date(days * DAY_MS).toISOString().slice(0, 10) : null,
};

/** Microseconds since 1970 as ISO 8601, with the shortest fraction. */
function momentText(micros: bigint): string {
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - rest) / 1000n)).toISOString().slice(0, 19);
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(6, '0').replace(/0+$/, '')}`;
  return `${seconds}${fraction}Z`;
}

/** A group of rows of one file. */
export interface Group {
  file: RangedFile;
  metadata: FileMetaData;
  index: number;
  /** The place of its first row among the rows of all files, oldest first. */
  first: number;
  rows: number;
  /** Of its first row in the file. */
  start: number;
}

/** The rows of one table in its Parquet files, oldest first. */
export class ParquetRows {
  readonly #files: readonly RangedFile[];
  readonly #columns: readonly Pick<Column, 'name' | 'type'>[];
  readonly #kept = new Map<string, Value[]>();
  #groups: Promise<readonly Group[]> | null = null;

  constructor(files: readonly RangedFile[], columns: readonly Pick<Column, 'name' | 'type'>[]) {
    this.#files = files;
    this.#columns = columns;
  }

  groups(): Promise<readonly Group[]> {
    this.#groups ??= this.#open();
    return this.#groups;
  }

  async #open(): Promise<Group[]> {
    const groups: Group[] = [];
    let first = 0;
    for (const file of this.#files) {
      const options = { initialFetchSize: FOOTER_BYTES, parsers: PARSERS as never };
      const metadata = keepingDigits(await parquetMetadataAsync(file, options));
      let start = 0;
      for (const [index, { num_rows }] of metadata.row_groups.entries()) {
        const rows = Number(num_rows);
        groups.push({ file, metadata, index, first, rows, start });
        first += rows;
        start += rows;
      }
    }
    return groups;
  }

  /** Bytes that reading these columns of these groups still takes. */
  missing(groups: readonly Group[], names: readonly string[]): number {
    return [...byFile(groups)].reduce(
      (sum, [file, own]) => sum + file.missing(own.flatMap((group) => this.#spans(group, names))),
      0,
    );
  }

  /** Reads these columns of these groups; close parts in one request. */
  async read(groups: readonly Group[], names: readonly string[]): Promise<void> {
    for (const [file, own] of byFile(groups))
      await file.read(own.flatMap((group) => this.#spans(group, names)));
  }

  #spans(group: Group, names: readonly string[]): Span[] {
    const wanted = names.filter((name) => !this.#kept.has(keyOf(group, name)));
    return group.metadata.row_groups[group.index]!.columns.flatMap(({ meta_data: about }) => {
      if (!about || !wanted.includes(about.path_in_schema[0]!)) return [];
      const from = Number(about.dictionary_page_offset || about.data_page_offset);
      return [{ from, to: from + Number(about.total_compressed_size) }];
    });
  }

  /** One column of a group. */
  async column(group: Group, name: string): Promise<Value[]> {
    const key = keyOf(group, name);
    const known = this.#kept.get(key);
    if (known) return known;
    const { file, metadata, start, rows } = group;
    const objects = await parquetReadObjects({
      file,
      metadata,
      columns: [name],
      rowStart: start,
      rowEnd: start + rows,
      parsers: PARSERS as never,
    });
    const { type } = this.#columns.find((column) => column.name === name)!;
    const cells = objects.map((object) => toValue(object[name], type));
    this.#kept.set(key, cells);
    return cells;
  }

  /** One column of all rows, of which only those of these groups are filled. */
  async cells(groups: readonly Group[], name: string): Promise<Cells> {
    const end = groups.reduce((most, { first, rows }) => Math.max(most, first + rows), 0);
    const cells = new Array<Value>(end);
    for (const group of groups) {
      const own = await this.column(group, name);
      for (let index = 0; index < own.length; index += 1) cells[group.first + index] = own[index]!;
    }
    return cells;
  }

  /** Whole rows by their places, in that order. */
  async rows(places: readonly number[]): Promise<Row[]> {
    const names = this.#columns.map(({ name }) => name);
    const groups = groupsOf(await this.groups(), places);
    await this.read(groups, names);
    const held = new Map<Group, Value[][]>();
    for (const group of groups)
      held.set(group, await Promise.all(names.map((name) => this.column(group, name))));
    return places.map((place) => {
      const group = groupAt(groups, place);
      return held.get(group)!.map((cells) => cells[place - group.first]!);
    });
  }
}

/** The groups that have these rows, in the order of the files. */
export function groupsOf(groups: readonly Group[], places: readonly number[]): Group[] {
  const wanted = new Set(places.map((place) => groupAt(groups, place)));
  return groups.filter((group) => wanted.has(group));
}

function groupAt(groups: readonly Group[], place: number): Group {
  return groups.findLast(({ first }) => first <= place)!;
}

function byFile(groups: readonly Group[]): Map<RangedFile, Group[]> {
  return Map.groupBy(groups, ({ file }) => file);
}

function keyOf({ file, index }: Group, name: string): string {
  return `${file.path} ${index} ${name}`;
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

/** Whether a group may have a value from `from` to `to`, by the bounds that the file states; null: no bound. */
export function mayHave(
  group: Group,
  name: string,
  type: ColumnType,
  from: number | string | null,
  to: number | string | null,
): boolean {
  const about = group.metadata.row_groups[group.index]!.columns.find(
    ({ meta_data }) => meta_data?.path_in_schema[0] === name,
  );
  const { min_value: least, max_value: most } = about?.meta_data?.statistics ?? {};
  if (least === undefined || most === undefined) return true;
  const at = (bound: unknown) => (type === 'integer' || type === 'number' ? Number(bound) : String(bound));
  return (to === null || at(least) <= to) && (from === null || at(most) >= from);
}
