import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { parquetSchema, toStored } from './parquet-schema.ts';
import type { Row } from './row.ts';
import type { Table } from './tables.ts';

/** Rows of a group that is full. Its bytes depend on nothing but its rows and its place, so they are written once. */
export const GROUP_ROWS = 20_000;

/** What a Parquet file's footer says of a group of rows: where its columns are, how they are packed, their bounds. */
export type RowGroup = ParquetWriter['row_groups'][number];

/** The full groups at the front of a file: its first `bytes` bytes. */
export interface SealedGroups {
  groups: readonly RowGroup[];
  bytes: number;
}

/**
 * A Parquet file that grows at its end: what follows the full groups of the release before is written, and the footer.
 * The same rows give the same bytes, however they were divided among runs. Rows are oldest first.
 */
export class ParquetFile {
  readonly #table: Table;
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  readonly #sealed: SealedGroups;

  constructor(table: Table, { groups, bytes }: SealedGroups) {
    this.#table = table;
    const schema = parquetSchema(table.columns);
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'cathedral-data-service' });
    this.#sealed = { groups: [...groups], bytes };
    if (groups.length === 0) return;
    // The file has begun: offsets go on from there.
    this.#writer.row_groups = [...groups];
    this.#writer.num_rows = BigInt(groups.length * GROUP_ROWS);
    this.#bytes.index = 0;
    this.#bytes.offset = bytes;
  }

  /** Rows so far. */
  get rows(): number {
    return Number(this.#writer.num_rows);
  }

  /** The bytes of the next group: GROUP_ROWS rows, or fewer of the last. */
  add(rows: readonly Row[]): Uint8Array {
    const { columns, artifact } = this.#table;
    const columnData = columns.map(({ name, type }, index): ColumnSource => {
      const data = rows.map((row) => toStored(row[index]!, type, artifact.path));
      // A bound of a decimal is compared as a number, which it need not fit; an index of pages would follow the last group.
      return { name, data, statistics: type !== 'decimal' && type !== 'list', offsetIndex: false };
    });
    this.#writer.write({ columnData, rowGroupSize: GROUP_ROWS });
    const bytes = this.#take();
    if (rows.length === GROUP_ROWS) {
      this.#sealed.groups = [...this.#writer.row_groups];
      this.#sealed.bytes = this.#bytes.offset;
    }
    return bytes;
  }

  finish(): { bytes: Uint8Array; sealed: SealedGroups } {
    this.#writer.finish();
    return { bytes: this.#take(), sealed: this.#sealed };
  }

  #take(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}
