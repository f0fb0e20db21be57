import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { Column, ColumnType, Row, Value } from '../../../../pipeline/formats/columns.ts';
import { formatAmount } from '../../../../pipeline/model/amount.ts';
import { DAY_MS } from '../../../../pipeline/words/day.ts';
import { momentText } from '../moment-text.ts';
import type { Cells } from './cells.ts';

/** Enough for the footer of a million rows. */
const FOOTER_BYTES = 1 << 16;

/** hyparquet's defaults lose microseconds. */
const PARSERS = {
  timestampFromMicroseconds: (micros: bigint) => (typeof micros === 'bigint' ? momentText(micros) : null),
  dateFromDays: (days: number) =>
    typeof days === 'number' ? new Date(days * DAY_MS).toISOString().slice(0, 10) : null,
};

/** A group of rows of one file. */
export interface Group {
  /** Its path. */
  path: string;
  file: AsyncBuffer;
  metadata: FileMetaData;
  index: number;
  /** The place of its first row among the rows of all files, oldest first. */
  first: number;
  rows: number;
  /** Of its first row in the file. */
  start: number;
}

/** Opens a file of this path and length. */
export type OpenFile = (path: string, bytes: number) => Promise<AsyncBuffer>;

/** The rows of one table in its Parquet files, oldest first. What was read is kept. */
export class ParquetRows {
  readonly #files: readonly { path: string; bytes: number }[];
  readonly #columns: readonly Pick<Column, 'name' | 'type'>[];
  readonly #open: OpenFile;
  readonly #kept = new Map<string, Value[]>();
  #groups: Promise<readonly Group[]> | null = null;

  constructor(
    files: readonly { path: string; bytes: number }[],
    columns: readonly Pick<Column, 'name' | 'type'>[],
    open: OpenFile,
  ) {
    this.#files = files;
    this.#columns = columns;
    this.#open = open;
  }

  groups(): Promise<readonly Group[]> {
    this.#groups ??= this.#readFooters();
    return this.#groups;
  }

  async #readFooters(): Promise<Group[]> {
    const groups: Group[] = [];
    let first = 0;
    for (const { path, bytes } of this.#files) {
      const file = await this.#open(path, bytes);
      const options = { initialFetchSize: FOOTER_BYTES, parsers: PARSERS as never };
      const metadata = keepingDigits(await parquetMetadataAsync(file, options));
      let start = 0;
      for (const [index, { num_rows }] of metadata.row_groups.entries()) {
        const rows = Number(num_rows);
        groups.push({ path, file, metadata, index, first, rows, start });
        first += rows;
        start += rows;
      }
    }
    return groups;
  }

  /** Bytes that reading these columns of these groups still takes. */
  missing(groups: readonly Group[], names: readonly string[]): number {
    return groups.reduce((sum, group) => {
      const wanted = this.#missingIn(group, names);
      const chunks = group.metadata.row_groups[group.index]!.columns.filter(({ meta_data }) =>
        wanted.includes(meta_data?.path_in_schema[0] ?? ''),
      );
      return chunks.reduce((own, { meta_data }) => own + Number(meta_data!.total_compressed_size), sum);
    }, 0);
  }

  #missingIn(group: Group, names: readonly string[]): string[] {
    return names.filter((name) => !this.#kept.has(keyOf(group, name)));
  }

  /** Reads these columns of these groups, those of a group that are close together in one request. */
  async read(groups: readonly Group[], names: readonly string[]): Promise<void> {
    for (const group of groups) {
      const { file, metadata, start, rows } = group;
      const columns = this.#missingIn(group, names);
      if (columns.length === 0) continue;
      const parsers = PARSERS as never;
      const objects = await parquetReadObjects({
        file,
        metadata,
        columns,
        rowStart: start,
        rowEnd: start + rows,
        parsers,
      });
      for (const name of columns) {
        const { type } = this.#columns.find((column) => column.name === name)!;
        this.#kept.set(
          keyOf(group, name),
          objects.map((object) => toValue(object[name], type)),
        );
      }
    }
  }

  /** One column of all rows, of which only those of these groups are filled: they were read. */
  cells(groups: readonly Group[], name: string): Cells {
    const end = groups.reduce((most, { first, rows }) => Math.max(most, first + rows), 0);
    const cells = new Array<Value>(end);
    for (const group of groups)
      for (const [index, cell] of this.#kept.get(keyOf(group, name))!.entries())
        cells[group.first + index] = cell;
    return cells;
  }

  /** Whole rows by their places, in that order. */
  async rows(places: readonly number[]): Promise<Row[]> {
    const names = this.#columns.map(({ name }) => name);
    const groups = groupsOf(await this.groups(), places);
    await this.read(groups, names);
    return places.map((place) => {
      const group = groupAt(groups, place);
      return names.map((name) => this.#kept.get(keyOf(group, name))![place - group.first]!);
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

function keyOf({ path, index }: Group, name: string): string {
  return `${path} ${index} ${name}`;
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
