import { constants, crc32, deflateRawSync } from 'node:zlib';
import { CathedralError } from '../../errors.ts';
import { combineCrc32 } from '../../release/history/gzip-parts.ts';
import type { Chunk } from '../chunk.ts';
import type { Row } from '../row.ts';
import type { Table } from '../tables.ts';
import { centralDirectory, dataDescriptor, localHeader, type ZipEntry, zipEntry } from '../zip.ts';
import { dictionarySheet } from './dictionary-sheet.ts';
import { columnWidth, headerRow, rowsXml, sheetHead, sheetTail } from './sheet-xml.ts';
import { sheetPath, workbookParts } from './workbook-parts.ts';

/** Rows of a block that is full: compressed once, and copied from then on. */
export const BLOCK_ROWS = 10_000;
/** Data rows of a sheet, which holds 1 048 576 with its header; what is more stands on further sheets. */
export const SHEET_ROWS = 1_000_000;
/** Sizes and offsets have 32 bits, and are read with a sign here and there. */
const LONGEST_FILE = 0x7fff_ffff;

/** The front of a sheet that never changes again: its full blocks, and its end where it is full. */
export interface SealedSheet extends Omit<ZipEntry, 'name'> {
  rows: number;
}

/**
 * A workbook that grows at the end of its data: what follows the full blocks of the release before is written, and all
 * small parts. The same rows give the same bytes, however they were divided among runs. Rows are oldest first.
 */
export class XlsxFile {
  readonly #table: Table;
  readonly #sheets: string[];
  readonly #sheetRows: number;
  readonly #entries: ZipEntry[] = [];
  readonly #sealed: SealedSheet[] = [];
  #offset = 0;
  #number = 0;
  /** The sheet that rows are added to. */
  #open: SealedSheet | null = null;

  /** `rows`: how many there will be; `sheetRows`, a multiple of BLOCK_ROWS, is for tests. */
  constructor(table: Table, rows: number, sheetRows = SHEET_ROWS) {
    this.#table = table;
    this.#sheetRows = sheetRows;
    const data = Array.from({ length: Math.max(1, Math.ceil(rows / sheetRows)) }, (_, index) =>
      index === 0 ? 'data' : `data ${index + 1}`,
    );
    this.#sheets = [...data, 'dictionary'];
  }

  /** What stands before the first row that is to be added. */
  start(sealed: readonly SealedSheet[]): Chunk[] {
    const chunks: Chunk[] = workbookParts(this.#sheets).map(([name, xml]) => this.#addText(name, xml));
    for (const sheet of sealed) chunks.push(...this.#carry(sheet));
    return chunks;
  }

  /** The next block: BLOCK_ROWS rows, or fewer of the last. */
  add(rows: readonly Row[]): Chunk[] {
    const chunks = this.#open?.rows === this.#sheetRows ? this.#close() : [];
    if (!this.#open) chunks.push(...this.#begin());
    const first = this.#open!.rows + 2;
    chunks.push(this.#append(rowsXml(this.#table.columns, rows, first), rows.length));
    if (rows.length === BLOCK_ROWS) this.#seal();
    return chunks;
  }

  finish(): { chunks: Chunk[]; sealed: SealedSheet[] } {
    const chunks = this.#open ? [] : this.#begin();
    chunks.push(...this.#close());
    chunks.push(this.#addText(sheetPath(this.#sheets.length), dictionarySheet(this.#table)));
    if (this.#offset > LONGEST_FILE) {
      const place = this.#table.artifact.path;
      const expected = `a workbook of at most ${LONGEST_FILE} bytes`;
      throw new CathedralError('publish_failed', { place, expected, found: `${this.#offset}` });
    }
    return { chunks: [...chunks, centralDirectory(this.#entries, this.#offset)], sealed: this.#sealed };
  }

  #addText(name: string, xml: string): Buffer {
    const { bytes, entry } = zipEntry(name, xml, this.#offset);
    this.#entries.push(entry);
    this.#offset += bytes.length;
    return bytes;
  }

  #carry(sheet: SealedSheet): Chunk[] {
    const chunks = this.#open ? this.#close() : [];
    const header = this.#openSheet(sheet);
    this.#offset += sheet.packed;
    this.#seal();
    return [...chunks, header, { start: sheet.at, end: sheet.at + sheet.packed }];
  }

  #begin(): Chunk[] {
    const { columns } = this.#table;
    const header = this.#openSheet({ rows: 0, crc: 0, raw: 0, packed: 0 });
    const head = sheetHead(columns.map(columnWidth)) + headerRow(columns.map(({ name }) => name));
    return [header, this.#append(head, 0)];
  }

  #openSheet(sheet: Omit<SealedSheet, 'at'>): Buffer {
    this.#number += 1;
    const header = localHeader(sheetPath(this.#number));
    this.#offset += header.length;
    this.#open = { ...sheet, at: this.#offset };
    return header;
  }

  #seal(): void {
    this.#sealed[this.#number - 1] = { ...this.#open! };
  }

  #close(): Chunk[] {
    const { columns } = this.#table;
    const { rows, at } = this.#open!;
    const end = this.#append(sheetTail(columns.length, rows + 1), 0, true);
    const name = sheetPath(this.#number);
    const { crc, raw, packed } = this.#open!;
    const entry = { name, crc, raw, packed, at: at - localHeader(name).length };
    const descriptor = dataDescriptor(entry);
    this.#offset += descriptor.length;
    this.#entries.push(entry);
    this.#open = null;
    return [end, descriptor];
  }

  /** Deflate that ends on a byte and refers to nothing before itself, or with the sheet's last block. */
  #append(xml: string, rows: number, isLast = false): Buffer {
    const raw = Buffer.from(xml);
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_FULL_FLUSH;
    const packed = deflateRawSync(raw, { finishFlush });
    const open = this.#open!;
    open.crc = combineCrc32(open.crc, crc32(raw), raw.length);
    open.raw += raw.length;
    open.packed += packed.length;
    open.rows += rows;
    this.#offset += packed.length;
    return packed;
  }
}
