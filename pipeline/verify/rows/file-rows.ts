import { orNull } from '../../errors.ts';
/** The text of a row in a file. */
export interface RowText {
  /** Where it begins, from 1. */
  line: number;
  text: string;
}

/** A fault of the file as a whole. */
interface FileFault {
  line: number;
  message: string;
}

/** How a JSON document ends. */
export interface JsonDocument {
  /** What is missing where it is cut off, for messages. */
  ending: string;
  /** What is wrong with its last line after that many rows; null: nothing. */
  faultOf: (text: string, rows: number) => string | null;
}

const LINE_END = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The rows of a file, one a line of UTF-8, since no row contains a line end. Accepts Windows line ends. In a JSON document without the commas
 * between them, up to the last line, which begins with `]`. Keeps a chunk, and the line that its end cuts.
 */
export class FileRows {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #mostCharacters: number;
  /** Whole lines with their ends, of which those before `#at` were skipped. */
  #text = '';
  #at = 0;
  /** The beginning of a line whose end was not read yet. */
  #rest: Uint8Array = new Uint8Array(0);
  #isAtEnd = false;
  /** Number of the line at `#at`. */
  #line = 1;
  /** Why the rest of the file cannot be read; it shows when the lines before it have been read. */
  #unreadable: FileFault | null = null;
  #document: JsonDocument | null = null;
  #next: RowText | null = null;
  /** Rows that `first` has read. */
  #first: RowText[] = [];
  #count = 0;
  /** Of the last row of a JSON document that was read; null before the first. */
  #endsInComma: boolean | null = null;
  #last = 0;
  /** Of the end of the file. */
  fault: FileFault | null = null;
  /** There are no more rows, which `peek` has found. */
  #hasEnded = false;

  /** `mostCharacters`: a longer row is a fault. */
  constructor(chunks: AsyncIterable<Uint8Array>, mostCharacters: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#mostCharacters = mostCharacters;
  }

  /** The rows that follow are those of a JSON document. `tail`: its end, which stood on the line of its beginning. */
  async begin(document: JsonDocument, tail: RowText | null = null): Promise<void> {
    [this.#document, this.#next, this.#count, this.fault, this.#hasEnded] = [document, null, 0, null, false];
    if (tail) await this.#end(tail);
  }

  /** The row that comes next; null: there are no more. */
  async peek(): Promise<RowText | null> {
    if (this.#first.length > 0) return this.#first[0]!;
    if (this.#next || this.#hasEnded) return this.#next;
    const line = await this.#readLine();
    if (!this.#document) this.#next = line;
    else if (line && !line.text.startsWith(']')) this.#next = this.#withoutComma(line);
    else {
      if (line) this.#skipLine();
      await this.#end(line);
    }
    if (this.#next) return this.#next;
    this.fault ??= this.#unreadable;
    this.#hasEnded = true;
    return null;
  }

  /** Goes beyond the row that comes next. */
  skip(): void {
    if (this.#first.shift()) return;
    this.#next = null;
    this.#count += 1;
    this.#skipLine();
  }

  /** The first rows, at most so many, which come all the same. */
  async first(most: number): Promise<RowText[]> {
    const rows: RowText[] = [];
    for (let row = await this.peek(); row && rows.length < most; row = await this.peek()) {
      rows.push(row);
      this.skip();
    }
    this.#first = [...rows];
    return rows;
  }

  /** A row of a JSON document, in which commas stand between rows, and nowhere else. */
  #withoutComma({ line, text }: RowText): RowText {
    if (this.#endsInComma === false)
      this.fault ??= { line: this.#last, message: 'no comma follows this row' };
    [this.#endsInComma, this.#last] = [text.endsWith(','), line];
    return { line, text: this.#endsInComma ? text.slice(0, -1) : text };
  }

  /** Called after the last row of a JSON document. `tail`: the line that ends the document; null where the file is cut off. */
  async #end(tail: RowText | null): Promise<void> {
    if (tail && this.#endsInComma)
      this.fault ??= { line: this.#last, message: 'a comma follows the last row' };
    this.fault ??= await this.#endFault(tail);
    this.#hasEnded = true;
  }

  async #endFault(tail: RowText | null): Promise<FileFault | null> {
    const { ending, faultOf } = this.#document!;
    if (!tail && this.#unreadable) return this.#unreadable;
    if (!tail) return { line: this.#line - 1, message: `the file is cut off here: ${ending} is missing` };
    const more = await this.#readLine();
    if (more) return { line: more.line, message: 'something follows the end of the JSON document' };
    if (this.#unreadable) return this.#unreadable;
    const message = faultOf(tail.text, this.#count);
    return message === null ? null : { line: tail.line, message };
  }

  /** The next line; null at the end of the file. */
  async #readLine(): Promise<RowText | null> {
    while (this.#at === this.#text.length && !this.#isAtEnd) await this.#readChunk();
    if (this.#at === this.#text.length) return null;
    const text = this.#text.slice(this.#at, this.#text.indexOf('\n', this.#at));
    return { line: this.#line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  }

  #skipLine(): void {
    this.#at = this.#text.indexOf('\n', this.#at) + 1;
    this.#line += 1;
  }

  /** After the last whole line was skipped. */
  async #readChunk(): Promise<void> {
    const { done, value = new Uint8Array(0) } = await this.#chunks.next();
    const bytes = joined(this.#rest, value);
    const end = done ? bytes.length : bytes.lastIndexOf(LINE_END) + 1;
    const lines = bytes.subarray(0, end);
    const text = decoded(lines);
    this.#rest = bytes.subarray(end);
    [this.#text, this.#at, this.#isAtEnd] = [text ?? decodedLines(lines), 0, done === true];
    if (this.#text !== '' && !this.#text.endsWith('\n')) this.#text += '\n';
    if (this.#line === 1 && this.#text.startsWith(BYTE_ORDER_MARK)) this.#at = 1;
    if (text === null) this.#stop('the file is not UTF-8 from here on: decompress it, or save it as UTF-8');
    else if (this.#isTooLong()) this.#stop('this row is longer than any event');
  }

  #isTooLong(): boolean {
    if (this.#rest.length <= this.#mostCharacters) return false;
    return new TextDecoder().decode(this.#rest).length > this.#mostCharacters;
  }

  /** Reads no further than the lines that are there. */
  #stop(message: string): void {
    this.#isAtEnd = true;
    this.#unreadable = { line: this.#line + this.#text.split('\n').length - 1, message };
  }
}

function joined(rest: Uint8Array, chunk: Uint8Array): Uint8Array {
  if (rest.length === 0) return chunk;
  const all = new Uint8Array(rest.length + chunk.length);
  all.set(rest);
  all.set(chunk, rest.length);
  return all;
}

/** Null: these bytes are no UTF-8. */
function decoded(bytes: Uint8Array): string | null {
  return orNull(() => STRICT.decode(bytes));
}

/** The lines before the first one that is no UTF-8. */
function decodedLines(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = bytes.indexOf(LINE_END, at) + 1 || bytes.length;
    const line = decoded(bytes.subarray(at, end));
    if (line === null) break;
    text += line;
  }
  return text;
}
