import { CathedralError } from '../../errors.ts';

/** Longest line or row of an input, in bytes. An event has at most 65,535 bytes; the rest is room for white space. */
const MAX_RECORD = 1024 * 1024;

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

/** How the records of a file are told apart. */
export interface Layout {
  /** For messages. */
  name: string;
  /** Bytes of which one separates cells, after which a quote begins a cell that may have line ends; null where nothing is quoted. */
  separators: Buffer | null;
  /** The lines before this one are titles: quotes mean nothing in them, and they are no records. */
  header: number;
}

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const ARRAY = 0x5b;
/** Of which one is at the end of each line. */
export const LINE_ENDS = Buffer.from('\r\n');
const WHITE_SPACE = Buffer.from('\r\n\t ');

/**
 * The records of some bytes, in batches, without empty lines and rows of empty cells, as spreadsheets save rows that were cleared. A last record
 * that does not end is still being written, unless the file is settled: it is no record, but what this returns. Throws `ledger_corrupt`
 * for a record that is too long, and what reading throws.
 */
export async function* readRecords(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  from: RecordPlace,
  { name, separators, header }: Layout,
  isSettled: boolean,
): AsyncGenerator<FileRecord[], (RecordPlace & { bytes: Buffer }) | null> {
  const nothing = separators ? Buffer.concat([WHITE_SPACE, separators, Buffer.of(QUOTE)]) : WHITE_SPACE;
  let rest: Buffer = Buffer.alloc(0);
  let place = from;
  const isTitle = () => place.line < header;
  const take = (bytes: Buffer): FileRecord => {
    const { offset, line, index } = place;
    const lines = separators && !isTitle() ? linesIn(bytes) : 1;
    const isRow = !isTitle() && !bytes.every((byte) => nothing.includes(byte));
    const after = { offset: offset + bytes.length, line: line + lines, index: index + (isRow ? 1 : 0) };
    const record = { ...place, bytes, after };
    place = after;
    return record;
  };
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const records: FileRecord[] = [];
    let start = 0;
    const end = () => endOf(bytes, start, isTitle() ? null : separators);
    for (let stop = end(); stop > 0; stop = end()) {
      const record = take(bytes.subarray(start, stop));
      if (record.after.index > record.index) records.push(record);
      start = stop;
    }
    rest = bytes.subarray(start);
    if (records.length > 0) yield records;
    if (rest.length > MAX_RECORD) throw tooLong(name, place.line, separators, rest);
  }
  if (rest.every((byte) => nothing.includes(byte))) return null;
  if (!isSettled) return { ...place, bytes: rest };
  const record = take(rest);
  if (record.after.index > record.index) yield [record];
  return null;
}

export const NO_ARRAY = "an object on each line, as jq -c '.[]' writes those of an array";

function tooLong(name: string, line: number, separators: Buffer | null, begin: Buffer): CathedralError {
  const place = `${name}:${line}${separators ? ', where a quote may not be closed' : ''}`;
  const isArray = separators === null && begin[0] === ARRAY;
  const expected = isArray ? NO_ARRAY : 'at most 1 MiB in one line';
  return new CathedralError('ledger_corrupt', { place, expected, found: 'a longer one' });
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
  // At the end of a whole record, CR stands alone.
  let count = record.at(-1) === CR ? 1 : 0;
  for (let end = rowEnd(record, 0); end > 0; end = rowEnd(record, end)) count += 1;
  return count;
}
