import type { FileHandle } from 'node:fs/promises';
import { MAX_INPUT_LINE, tooLong } from '../rows/json-events.ts';

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
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const LINE_ENDS = Buffer.from('\r\n');
const WHITE_SPACE = Buffer.from('\r\n\t ');
/** A row of empty cells, as spreadsheets save rows that were cleared or only have a format. */
const OF_EMPTY_ROWS = Buffer.from('\r\n\t ,;"');

export interface Extent {
  /** For messages. */
  name: string;
  file: FileHandle;
  /** Bytes of the file that are read: what is appended later is not. */
  end: number;
  /** Bytes of which one separates cells, after which a quote begins a cell that may have line ends; null where nothing is quoted. */
  separators: Buffer | null;
  /** Whether nothing is being written any more: then the end of the file also ends its last record. */
  isSettled: boolean;
}

/**
 * The records between a place and the end, in batches, without empty lines and rows of empty cells. A last record that does not end is
 * still being written, unless the file is settled: it is no record, but what this returns. Throws `ledger_corrupt` for a line that is
 * too long, and what reading throws.
 */
export async function* readRecords(
  { name, file, end: whole, separators, isSettled }: Extent,
  from: RecordPlace,
  end: number = whole,
): AsyncGenerator<FileRecord[], (RecordPlace & { bytes: Buffer }) | null> {
  let rest: Buffer = Buffer.alloc(0);
  let place = from;
  const isEmpty = (record: Buffer) =>
    record.every((byte) => (separators ? OF_EMPTY_ROWS : WHITE_SPACE).includes(byte));
  const recordOf = (bytes: Buffer): FileRecord => {
    const { offset, line, index } = place;
    const lines = separators ? linesIn(bytes) : 1;
    const isRow = !isEmpty(bytes);
    const after = { offset: offset + bytes.length, line: line + lines, index: index + (isRow ? 1 : 0) };
    return { ...place, bytes, after };
  };
  for (let at = from.offset; at < end; ) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return null;
    at += bytesRead;
    const bytes =
      rest.length === 0 ? chunk.subarray(0, bytesRead) : Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    const records: FileRecord[] = [];
    let start = 0;
    for (let stop = endOf(bytes, start, separators); stop > 0; stop = endOf(bytes, start, separators)) {
      const record = recordOf(bytes.subarray(start, stop));
      if (record.after.index > place.index) records.push(record);
      place = record.after;
      start = stop;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_INPUT_LINE)
      throw tooLong(`${name}:${place.line}${separators ? ', where a quote may not be closed' : ''}`);
    if (records.length > 0) yield records;
  }
  if (isEmpty(rest)) return null;
  if (!isSettled || end < whole) return { ...place, bytes: rest };
  yield [recordOf(rest)];
  return null;
}

/**
 * Where the record ends that begins at `start`; 0 if it does not end. As for the parser of cells, a quote opens a cell only at its
 * beginning, two of them inside stand for one, and LF, CRLF and CR end a row. A quote elsewhere is a fault of its own row alone.
 */
function endOf(bytes: Buffer, start: number, separators: Buffer | null): number {
  if (separators === null) return bytes.indexOf(LF, start) + 1;
  let at = start;
  for (let end = rowEnd(bytes, at); ; ) {
    const stop = end === 0 ? bytes.length : end;
    const quote = at < stop ? bytes.subarray(at, stop).indexOf(QUOTE) : -1;
    if (quote < 0) return end;
    at += quote + 1;
    const opens = at - 1 === start || separators.includes(bytes[at - 2]!);
    if (!opens) continue;
    at = cellEnd(bytes, at);
    // At the end of the bytes, a quote may be the first of two.
    if (at === 0 || at === bytes.length) return 0;
    if (end > 0 && at >= end) end = rowEnd(bytes, at);
  }
}

/** Whether bytes of one unfinished row end inside of quotes. */
export function isQuoteOpen(bytes: Buffer, separators: Buffer | null): boolean {
  // With a line end after it, a row ends unless its quotes are open.
  return separators !== null && endOf(Buffer.concat([bytes, LINE_ENDS]), 0, separators) === 0;
}

/** Where the quoted cell ends whose content begins at `at`; 0 if it does not end. */
function cellEnd(bytes: Buffer, at: number): number {
  let quote = bytes.indexOf(QUOTE, at);
  while (quote >= 0 && bytes[quote + 1] === QUOTE) quote = bytes.indexOf(QUOTE, quote + 2);
  return quote + 1;
}

function rowEnd(bytes: Buffer, at: number): number {
  const lf = bytes.indexOf(LF, at);
  const stop = lf < 0 ? bytes.length : lf;
  const cr = bytes.subarray(at, stop).indexOf(CR);
  // CR alone. The last byte may be the first half of CRLF.
  return cr >= 0 && at + cr + 1 < stop ? at + cr + 1 : lf + 1;
}

function linesIn(record: Buffer): number {
  let count = 0;
  for (let end = rowEnd(record, 0); end > 0; end = rowEnd(record, end)) count += 1;
  return count;
}
