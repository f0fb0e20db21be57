import { constants, deflateRawSync } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';
import type { Organisation } from '../artifacts/documents/organisation.ts';
import { CathedralError } from '../errors.ts';
import type { Row } from './columns.ts';
import { BLOCK_ROWS, type TableFile } from './table-file.ts';
import type { Table } from './tables.ts';
import {
  dictionarySheet,
  firstParts,
  rowsXml,
  sheetHead,
  sheetPath,
  sheetTail,
  workbookParts,
} from './workbook-xml.ts';

/** Data rows of a sheet, below Excel's limit of 1 048 576 with the header; further rows go to further sheets. */
export const SHEET_ROWS = 50 * BLOCK_ROWS;
/** ZIP stores sizes and offsets in 32 bits, and some readers take them as signed. */
const MAX_FILE_BYTES = 0x7fff_ffff;
/** Rows whose XML is in memory at once. */
const PIECE_ROWS = 5000;

/** A workbook of a table's rows: a sheet with the data, more where one is full, and a sheet that explains the columns. */
export class XlsxFile implements TableFile {
  readonly #table: Table;
  readonly #organisation: Organisation;
  readonly #sheetRows: number;
  readonly #zip: Zip;
  #written: Uint8Array[] = [];
  #bytes = 0;
  readonly #sheets: string[] = [];
  /** The sheet that rows are added to. */
  #open: DeflatedPart | null = null;
  #rows = 0;

  /** `sheetRows`, a multiple of BLOCK_ROWS, is for tests. */
  constructor(table: Table, organisation: Organisation, sheetRows = SHEET_ROWS) {
    this.#table = table;
    this.#organisation = organisation;
    this.#sheetRows = sheetRows;
    this.#zip = new Zip((error, bytes) => {
      if (error) throw error;
      this.#bytes += bytes.length;
      this.#written.push(bytes);
    });
    for (const [name, xml] of firstParts()) this.#addPart(name, xml);
  }

  add(rows: readonly Row[]): Uint8Array[] {
    if (!this.#open || this.#rows === this.#sheetRows) this.#nextSheet();
    for (let at = 0; at < rows.length; at += PIECE_ROWS) {
      const piece = rows.slice(at, at + PIECE_ROWS);
      this.#open!.push(Buffer.from(rowsXml(this.#table.columns, piece, this.#rows + 2)));
      this.#rows += piece.length;
    }
    return this.#take();
  }

  /** Throws publish_failed beyond 2 GiB. */
  finish(): Uint8Array[] {
    if (!this.#open) this.#nextSheet();
    this.#closeSheet();
    this.#sheets.push('dictionary');
    this.#addPart(sheetPath(this.#sheets.length), dictionarySheet(this.#table, this.#organisation));
    for (const [name, xml] of workbookParts(this.#sheets)) this.#addPart(name, xml);
    this.#zip.end();
    if (this.#bytes > MAX_FILE_BYTES) {
      const place = this.#table.artifact.path;
      const expected = `a workbook of at most ${MAX_FILE_BYTES} bytes`;
      throw new CathedralError('publish_failed', { place, expected, found: `${this.#bytes}` });
    }
    return this.#take();
  }

  #nextSheet(): void {
    this.#closeSheet();
    const number = this.#sheets.length + 1;
    this.#sheets.push(number === 1 ? 'data' : `data ${number}`);
    this.#open = new DeflatedPart(sheetPath(number));
    this.#zip.add(this.#open);
    this.#open.push(Buffer.from(sheetHead(this.#table.columns)));
    this.#rows = 0;
  }

  #closeSheet(): void {
    this.#open?.push(Buffer.from(sheetTail(this.#table.columns.length, this.#rows + 1)), true);
  }

  #addPart(name: string, xml: string): void {
    const part = new DeflatedPart(name);
    this.#zip.add(part);
    part.push(Buffer.from(xml), true);
  }

  #take(): Uint8Array[] {
    const written = this.#written;
    this.#written = [];
    return written;
  }
}

/**
 * 1980-01-01, the first day that ZIP can store: with the real time, the same files would give other bytes in each run.
 * fflate stores local time, so this is midnight wherever the program runs.
 */
const ZIP_TIME = new Date(1980, 0, 1);

/** An entry of the archive that Node compresses, several times as fast as fflate, piece by piece. */
class DeflatedPart extends ZipPassThrough {
  /** Deflate. */
  override compression = 8;
  override mtime = ZIP_TIME;

  protected override process(piece: Uint8Array, isLast: boolean): void {
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_FULL_FLUSH;
    this.ondata(null, deflateRawSync(piece, { finishFlush }), isLast);
  }
}
