import type { FileHandle } from 'node:fs/promises';
import { MAX_INPUT_LINE, tooLong } from '../../rows/json-events.ts';

/** A place between two records of a file. */
export interface RecordPlace {
  /** Bytes before it. */
  offset: number;
  /** Number of the line that begins here. */
  line: number;
  /** Number of records before it, the header of a CSV file not counted. */
  index: number;
}

/** A line of NDJSON, or a row of CSV, which may have several lines. */
export interface FileRecord extends RecordPlace {
  /** With its line end. */
  bytes: Buffer;
  /** The place after it. */
  after: RecordPlace;
}

const CHUNK_BYTES = 256 * 1024;
const LINE_END = 0x0a;
const QUOTE = 0x22;
const LINE_ENDS = Buffer.from('\r\n');
/** A row of empty cells, as spreadsheets save rows that were cleared or only have a format. */
const OF_EMPTY_ROWS = Buffer.from('\r\n\t ,;"');

export interface Extent {
  /** For messages. */
  name: string;
  file: FileHandle;
  /** Bytes of the file that are read: what is appended later is not. */
  end: number;
  /** Whether a line end inside of quotes belongs to a cell. */
  isQuoted: boolean;
}

/**
 * The records between a place and the end, in batches, without empty lines and rows of empty cells. A last record without a line end is still being
 * written and does not count. Throws `ledger_corrupt` for a line that is too long, and what reading throws.
 */
export async function* readRecords(
  { name, file, end: whole, isQuoted }: Extent,
  from: RecordPlace,
  end: number = whole,
): AsyncGenerator<FileRecord[]> {
  let rest: Buffer = Buffer.alloc(0);
  let place = from;
  for (let at = from.offset; at < end; ) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    const bytes =
      rest.length === 0 ? chunk.subarray(0, bytesRead) : Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    const records: FileRecord[] = [];
    let start = 0;
    for (let stop = endOf(bytes, start, isQuoted); stop > 0; stop = endOf(bytes, start, isQuoted)) {
      const record = bytes.subarray(start, stop);
      const isEmpty = record.every((byte) => (isQuoted ? OF_EMPTY_ROWS : LINE_ENDS).includes(byte));
      const after = {
        offset: place.offset + record.length,
        line: place.line + linesIn(record),
        index: place.index + (isEmpty ? 0 : 1),
      };
      if (!isEmpty) records.push({ ...place, bytes: record, after });
      place = after;
      start = stop;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_INPUT_LINE) throw tooLong(`${name}:${place.line}`);
    if (records.length > 0) yield records;
  }
}

/** Where the record ends that begins at `start`; 0 if it does not end. Two quotes in a cell, for one, change nothing. */
function endOf(bytes: Buffer, start: number, isQuoted: boolean): number {
  let end = bytes.indexOf(LINE_END, start);
  if (!isQuoted) return end + 1;
  let quotes = 0;
  for (let from = start; end >= 0; end = bytes.indexOf(LINE_END, from)) {
    quotes += countOf(bytes.subarray(from, end), QUOTE);
    if (quotes % 2 === 0) break;
    from = end + 1;
  }
  return end + 1;
}

function countOf(bytes: Buffer, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}

function linesIn(record: Buffer): number {
  return countOf(record, LINE_END);
}
