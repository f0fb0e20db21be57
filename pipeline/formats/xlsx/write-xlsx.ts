import { Zip } from 'fflate';
import type { Licence } from '../../artifacts/documents/organisation.ts';
import { CathedralError } from '../../errors.ts';
import type { Staging } from '../../release/staging/staging.ts';
import type { Row } from '../columns.ts';
import { blocksOf, countRows, historyRows } from '../history-rows.ts';
import { formFile, previousOf, recordFile } from '../record-file.ts';
import { formPath, type Table } from '../tables.ts';
import { assertUnchanged, readRange, writeChunks } from '../write-chunks.ts';
import { PiecewiseEntry } from './piecewise-entry.ts';
import { dictionarySheet, rowsXml, sheetHead, sheetPath, sheetTail, workbookParts } from './workbook-xml.ts';

/** Rows of a full block: compressed once, and copied by every later run. */
export const BLOCK_ROWS = 10_000;
/** Data rows of a sheet, below Excel's limit of 1 048 576 with the header; further rows go to further sheets. */
export const SHEET_ROWS = 1_000_000;
/** ZIP stores sizes and offsets in 32 bits, and some readers take them as signed. */
const MAX_FILE_BYTES = 0x7fff_ffff;

/** The full blocks of a sheet, and its end if it has SHEET_ROWS rows: they never change. */
export interface SealedSheet {
  rows: number;
  /** CRC-32 of the XML so far, its bytes before and after compression, and where those are in the file. */
  crc: number;
  raw: number;
  packed: number;
  at: number;
}

/** A growing table as a workbook; copies the full blocks of the previous release. Returns the blocks that are full now. */
export async function writeXlsx(
  staging: Staging,
  table: Table,
  sealedBefore: readonly SealedSheet[],
  licence: Licence,
): Promise<readonly SealedSheet[]> {
  const path = formPath(table, '.xlsx');
  const previous = sealedBefore.length > 0 ? previousOf(staging, path) : null;
  const total = countRows(staging, table);
  const xlsx = new XlsxFile(table, total);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (previous) {
      await assertUnchanged(previous);
      yield* xlsx.resume(sealedBefore, (start, end) => readRange(previous.path, start, end));
    }
    for await (const block of blocksOf(historyRows(staging, table, xlsx.rows), BLOCK_ROWS))
      yield* xlsx.add(block);
    yield* xlsx.finish(licence);
  }
  staging.claim(path);
  const blob = await writeChunks(staging.folder, `public/${path}`, chunks());
  recordFile(staging, formFile(table, '.xlsx', { rows: total }), blob);
  return xlsx.sealed;
}

/** A small table as a workbook. */
export function formatXlsx(table: Table, rows: readonly Row[], licence: Licence): Uint8Array {
  const xlsx = new XlsxFile(table, rows.length);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < rows.length; at += BLOCK_ROWS)
    chunks.push(...xlsx.add(rows.slice(at, at + BLOCK_ROWS)));
  return Buffer.concat([...chunks, ...xlsx.finish(licence)]);
}

/**
 * A workbook whose rows are only ever appended, oldest first. The same rows give the same bytes, whether one run wrote
 * them or several. Each method returns the bytes that it adds to the file.
 */
export class XlsxFile {
  readonly #table: Table;
  readonly #sheets: string[];
  readonly #sheetRows: number;
  readonly #zip: Zip;
  #written: Uint8Array[] = [];
  #bytes = 0;
  #number = 0;
  /** The sheet that rows are added to, and where its compressed XML starts in the file. */
  #open: { entry: PiecewiseEntry; rows: number; at: number } | null = null;
  readonly #sealed: SealedSheet[] = [];

  /** `rows`: how many the file will have; `sheetRows`, a multiple of BLOCK_ROWS, is for tests. */
  constructor(table: Table, rows: number, sheetRows = SHEET_ROWS) {
    this.#table = table;
    this.#sheetRows = sheetRows;
    const data = Array.from({ length: Math.max(1, Math.ceil(rows / sheetRows)) }, (_, index) =>
      index === 0 ? 'data' : `data ${index + 1}`,
    );
    this.#sheets = [...data, 'dictionary'];
    this.#zip = new Zip((error, bytes) => {
      if (error) throw error;
      this.#bytes += bytes.length;
      this.#written.push(bytes);
    });
    for (const [name, xml] of workbookParts(this.#sheets)) this.#addPart(name, xml);
  }

  /** Rows in full blocks so far. */
  get rows(): number {
    return this.#sealed.reduce((sum, { rows }) => sum + rows, 0);
  }

  /** The full blocks so far. */
  get sealed(): readonly SealedSheet[] {
    return this.#sealed;
  }

  /** Copies the full blocks of the previous file, of which `read` returns a range. Comes before any row. */
  async *resume(
    sealed: readonly SealedSheet[],
    read: (start: number, end: number) => AsyncIterable<Uint8Array<ArrayBuffer>>,
  ): AsyncGenerator<Uint8Array> {
    for (const { rows, crc, raw, packed, at } of sealed) {
      if (this.#open) this.#closeSheet();
      const sheet = this.#openSheet();
      yield* this.#take();
      for await (const pieces of read(at, at + packed)) {
        sheet.entry.addCompressed(pieces);
        yield* this.#take();
      }
      sheet.entry.crc = crc;
      sheet.entry.size = raw;
      sheet.rows = rows;
      this.#seal();
    }
  }

  /** The next block: BLOCK_ROWS rows, or fewer if it is the last. */
  add(rows: readonly Row[]): Uint8Array[] {
    if (this.#open?.rows === this.#sheetRows) this.#closeSheet();
    if (!this.#open) this.#startSheet();
    const sheet = this.#open!;
    sheet.entry.add(Buffer.from(rowsXml(this.#table.columns, rows, sheet.rows + 2)));
    sheet.rows += rows.length;
    if (rows.length === BLOCK_ROWS) this.#seal();
    return this.#take();
  }

  /** The end of the data, the dictionary, and the directory of the archive. Throws publish_failed beyond 2 GiB. */
  finish(licence: Licence): Uint8Array[] {
    if (!this.#open) this.#startSheet();
    this.#closeSheet();
    this.#addPart(sheetPath(this.#sheets.length), dictionarySheet(this.#table, licence));
    this.#zip.end();
    if (this.#bytes > MAX_FILE_BYTES) {
      const place = this.#table.artifact.path;
      const expected = `a workbook of at most ${MAX_FILE_BYTES} bytes`;
      throw new CathedralError('publish_failed', { place, expected, found: `${this.#bytes}` });
    }
    return this.#take();
  }

  #addPart(name: string, xml: string): void {
    const entry = new PiecewiseEntry(name);
    this.#zip.add(entry);
    entry.add(Buffer.from(xml), true);
  }

  #openSheet() {
    this.#number += 1;
    const entry = new PiecewiseEntry(sheetPath(this.#number));
    this.#zip.add(entry);
    // The archive writes an entry's header with its first bytes: after none of them, it ends where the data begin.
    entry.addCompressed(new Uint8Array(0));
    this.#open = { entry, rows: 0, at: this.#bytes };
    return this.#open;
  }

  #startSheet(): void {
    this.#openSheet().entry.add(Buffer.from(sheetHead(this.#table.columns)));
  }

  #seal(): void {
    const { entry, rows, at } = this.#open!;
    this.#sealed[this.#number - 1] = { rows, crc: entry.crc, raw: entry.size, packed: this.#bytes - at, at };
  }

  #closeSheet(): void {
    const { entry, rows } = this.#open!;
    entry.add(Buffer.from(sheetTail(this.#table.columns.length, rows + 1)), true);
    this.#open = null;
  }

  #take(): Uint8Array[] {
    const written = this.#written;
    this.#written = [];
    return written;
  }
}
