import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { csvHeader } from '../../artifacts/format/csv.ts';
import { ledgerExport } from '../../artifacts/government/ledger-export.ts';
import { CathedralError } from '../../errors.ts';
import { MAX_LINE_BYTES } from '../../ledger/event.ts';
import { COLUMNS, type ExportRow, parseObject, parseRow, type RowForm } from './export-row.ts';

export const CSV_HEADER = csvHeader(ledgerExport.schema).trimEnd();

/** The columns in which two rows differ; the spelling of JSON makes no difference. */
export function differences(row: ExportRow, expected: ExportRow): (keyof ExportRow)[] {
  return COLUMNS.filter((name) => {
    if (row[name] === expected[name]) return false;
    return name !== 'data' || !isDeepStrictEqual(parseObject(row.data), parseObject(expected.data));
  });
}

/** Whether a row cannot be an edited version of the expected one, because neither its hash nor its time and type match. */
export function isOther(row: ExportRow, expected: ExportRow): boolean {
  const changed = new Set(differences(row, expected));
  return changed.has('attestation_hash') && (changed.has('timestamp') || changed.has('event_type'));
}

/** The text of a row in the file. */
export interface RowText {
  /** Where it begins, from 1. */
  line: number;
  text: string;
}

/** What a JSON export says about itself. */
export interface ExportHead {
  from: string | null;
  to: string | null;
  filter: string | null;
}

/** A fault of the file as a whole. */
export interface FileFault {
  line: number;
  message: string;
}

export interface ExportFile {
  form: RowForm;
  head: ExportHead | null;
  /** In the order of the file. */
  rows: ExportRows;
}

/** A row contains its event's line, perhaps with doubled quotes, and less than 1 kB more. */
const MAX_ROW_CHARACTERS = 2 * MAX_LINE_BYTES + 1000;

const Head = z.strictObject({
  from: z.string().nullable(),
  to: z.string().nullable(),
  filter: z.string().nullable(),
  events: z.array(z.unknown()).max(0),
});
const Tail = z.strictObject({ count: z.int().min(0), complete: z.literal(true) });

/**
 * Reads an export as CSV, JSON or NDJSON, whichever its first line shows. Null: none of these. Throws proof_refused if the first
 * line cannot be read.
 */
export async function readExport(
  chunks: AsyncIterable<Uint8Array>,
  place = 'the export',
): Promise<ExportFile | null> {
  const lines = new Lines(chunks);
  const first = await lines.peek();
  if (!first) return nothing(lines.fault, place);
  const { text } = first;
  const rows = (form: RowForm, tail: RowText | null = null) => new ExportRows(lines, form, tail);
  if (parseRow('ndjson', text)) return { form: 'ndjson', head: null, rows: rows('ndjson') };
  lines.skip();
  if (text === CSV_HEADER) return { form: 'csv', head: null, rows: rows('csv') };
  const empty = /^(.*"events":\[)\],("count":0,"complete":true\})$/.exec(text);
  const head = Head.safeParse(parseObject(`${empty?.[1] ?? text}]}`));
  if (!head.success) return null;
  const { events: _, ...about } = head.data;
  const tail = empty ? { line: 1, text: `],${empty[2]}` } : null;
  return { form: 'json', head: about, rows: rows('json', tail) };
}

function nothing(fault: FileFault | null, place: string): null {
  if (!fault) return null;
  const [expected, found] = ['rows of an export', fault.message];
  throw new CathedralError('proof_refused', { place: `${place}:${fault.line}`, expected, found });
}

/** The rows of a file. In a JSON document without the commas between them, up to the last line, which states their number. */
export class ExportRows {
  readonly #lines: Lines;
  readonly #form: RowForm;
  /** The end of a JSON document, once it has been read. */
  #tail: RowText | null;
  #next: RowText | null = null;
  #count = 0;
  #fault: FileFault | null = null;
  #hasEnded = false;

  constructor(lines: Lines, form: RowForm, tail: RowText | null) {
    this.#lines = lines;
    this.#form = form;
    this.#tail = tail;
  }

  /** There are no more rows, which `peek` has found. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Of the end of the file. */
  get fault(): FileFault | null {
    return this.#fault;
  }

  /** The row that comes next; null: there is none, or its end has to be read first, as by `peek`. */
  get ready(): RowText | null {
    if (this.#next) return this.#next;
    const line = this.#form === 'json' ? null : this.#lines.ready;
    this.#next = line;
    return line;
  }

  /** The row that comes next; null: there are no more. */
  async peek(): Promise<RowText | null> {
    if (this.#next || this.#hasEnded) return this.#next;
    const line = this.#tail ? null : await this.#lines.peek();
    if (this.#form !== 'json') this.#next = line;
    else if (line && !line.text.startsWith(']'))
      this.#next = { line: line.line, text: line.text.replace(/,$/, '') };
    else {
      this.#tail ??= line;
      if (line) this.#lines.skip();
      this.#fault = await this.#endFault();
    }
    if (this.#next) return this.#next;
    this.#fault ??= this.#lines.fault;
    this.#hasEnded = true;
    return null;
  }

  /** Goes beyond the row that comes next. */
  skip(): void {
    this.#next = null;
    this.#count += 1;
    this.#lines.skip();
  }

  /**
   * Goes beyond the rows that the file has as in `expected`: those between two of the offsets `ends`. Returns how many of them it
   * has, from the first one.
   */
  async skipEqual(expected: Buffer, ends: Uint32Array, from: number, to: number): Promise<number> {
    const count = await this.#lines.skipEqual(expected, ends, from, to);
    if (count > 0) this.#next = null;
    this.#count += count;
    return count;
  }

  /** Number of the line that comes next. */
  get line(): number {
    return this.#lines.line;
  }

  async #endFault(): Promise<FileFault | null> {
    const lines = this.#lines;
    const tail = this.#tail;
    if (!tail) {
      if (lines.fault) return lines.fault;
      return { line: lines.line - 1, message: 'the file is cut off here: "complete" is missing' };
    }
    const more = await lines.peek();
    if (more) return { line: more.line, message: 'something follows the end of the JSON document' };
    if (lines.fault) return lines.fault;
    const { line } = tail;
    const end = Tail.safeParse(parseObject(`{${tail.text.slice(2)}`));
    if (!end.success) return { line, message: 'the last line is not the end of an export' };
    if (end.data.count === this.#count) return null;
    return { line, message: `"count" says ${end.data.count}, but the file has ${this.#count} rows` };
  }
}

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const NOTHING = Buffer.alloc(0);

/** Lines of UTF-8 text; no row contains a line end. Accepts Windows line ends. Keeps a chunk, and what is compared at once. */
class Lines {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffer = NOTHING;
  /** Of the buffer, what was read and not skipped yet, from `#at` on; valid UTF-8 up to `#valid`, where a character may be cut. */
  #bytes: Buffer = NOTHING;
  #at = 0;
  #valid = 0;
  /** Offset after the last line end. */
  #whole = 0;
  #isFirst = true;
  #isAtEnd = false;
  #next: RowText | null = null;
  #nextEnd = 0;
  /** Number of the line at `#at`. */
  line = 1;
  /** Why the rest of the file cannot be read; it shows when the lines before it have been read. */
  fault: FileFault | null = null;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next line if its end was read already. */
  get ready(): RowText | null {
    if (this.#next) return this.#next;
    const end = this.#at < this.#whole ? this.#bytes.indexOf(LINE_END, this.#at) : -1;
    return end < 0 ? null : this.#open(end, end + 1);
  }

  /** Null: there is none. */
  async peek(): Promise<RowText | null> {
    for (;;) {
      const line = this.ready;
      if (line) return line;
      if (this.#isAtEnd) break;
      await this.#readChunk();
    }
    const end = this.#bytes.length;
    return this.#at < end ? this.#open(end, end) : null;
  }

  /** Goes beyond the next line. */
  skip(): void {
    this.#next = null;
    this.#at = this.#nextEnd;
    this.line += 1;
  }

  async skipEqual(expected: Buffer, ends: Uint32Array, from: number, to: number): Promise<number> {
    const begin = ends[from]!;
    const length = ends[to]! - begin;
    while (this.#whole - this.#at < length && !this.#isAtEnd) await this.#readChunk();
    const found = this.#bytes.subarray(this.#at, Math.max(this.#at, this.#whole));
    const count = equalRows(found, expected, ends, from, to);
    if (count === 0) return 0;
    this.#next = null;
    this.#at += ends[from + count]! - begin;
    this.line += count;
    return count;
  }

  #open(end: number, nextEnd: number): RowText {
    const isWindows = end > this.#at && this.#bytes[end - 1] === CARRIAGE_RETURN;
    const text = this.#bytes.toString('utf8', this.#at, isWindows ? end - 1 : end);
    this.#nextEnd = nextEnd;
    this.#next = { line: this.line, text };
    return this.#next;
  }

  async #readChunk(): Promise<void> {
    const next = await this.#chunks.next();
    const chunk = next.done ? NOTHING : next.value;
    this.#isAtEnd = next.done === true;
    const kept = this.#bytes.length - this.#at;
    this.#valid -= this.#at;
    this.#nextEnd -= this.#at;
    this.#append(chunk);
    this.#at = 0;
    // A character may be cut by the end of a chunk.
    const valid = this.#isAtEnd ? this.#bytes.length : this.#bytes.length - cutBytes(this.#bytes);
    const isText = isUtf8(this.#bytes.subarray(this.#valid, valid));
    if (!isText) return this.#end(kept, 'the file is not UTF-8 from here on');
    this.#valid = valid;
    if (this.#isFirst && valid >= BYTE_ORDER_MARK.length) {
      this.#isFirst = false;
      if (this.#bytes.indexOf(BYTE_ORDER_MARK) === 0) this.#at = BYTE_ORDER_MARK.length;
    }
    this.#whole = this.#bytes.lastIndexOf(LINE_END) + 1;
    const rest = this.#bytes.length - this.#whole;
    if (this.#isAtEnd || rest <= MAX_ROW_CHARACTERS) return;
    const characters = this.#bytes.toString('utf8', this.#whole, valid).length;
    if (characters > MAX_ROW_CHARACTERS) this.#end(this.#whole, 'this row is longer than any event');
  }

  /** What is kept moves to the beginning of the one buffer: a new one for each chunk would keep the garbage collector busy. */
  #append(chunk: Uint8Array): void {
    const kept = this.#bytes.subarray(this.#at);
    const length = kept.length + chunk.length;
    if (length > this.#buffer.length) {
      const longer = Buffer.allocUnsafeSlow(2 * length);
      kept.copy(longer);
      this.#buffer = longer;
    } else this.#buffer.copyWithin(0, this.#at, this.#at + kept.length);
    this.#buffer.set(chunk, kept.length);
    this.#bytes = this.#buffer.subarray(0, length);
  }

  /** Reads no further than the last line end before this offset. */
  #end(offset: number, message: string): void {
    const end = offset === 0 ? 0 : this.#bytes.lastIndexOf(LINE_END, offset - 1) + 1;
    this.#bytes = this.#bytes.subarray(0, end);
    this.#whole = end;
    this.#isAtEnd = true;
    let line = this.line;
    for (const byte of this.#bytes.subarray(this.#at)) if (byte === LINE_END) line += 1;
    this.fault = { line, message };
  }
}

/** Bytes at the end that begin a character (RFC 3629 §3) and do not end it. */
function cutBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

/** How many of the rows `from` to `to` the bytes begin with. */
function equalRows(found: Buffer, expected: Buffer, ends: Uint32Array, from: number, to: number): number {
  const begin = ends[from]!;
  const whole = ends[to]! - begin;
  if (found.length >= whole && found.compare(expected, begin, begin + whole, 0, whole) === 0)
    return to - from;
  let count = 0;
  for (; from + count < to; count += 1) {
    const [start, end] = [ends[from + count]!, ends[from + count + 1]!];
    if (found.length < end - begin) break;
    if (found.compare(expected, start, end, start - begin, end - begin) !== 0) break;
  }
  return count;
}
