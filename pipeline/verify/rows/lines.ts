/** The text of a row in a file. */
export interface RowText {
  /** Where it begins, from 1. */
  line: number;
  text: string;
}

/** A fault of the file as a whole. */
export interface FileFault {
  line: number;
  message: string;
}

const LINE_END = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';
const NOTHING = new Uint8Array(0);
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Lines of UTF-8 text; no row contains a line end. Accepts Windows line ends. Keeps a chunk, and the line that its end cuts. */
export class Lines {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #mostCharacters: number;
  /** Whole lines with their ends, of which those before `#at` were skipped. */
  #text = '';
  #at = 0;
  /** The beginning of a line whose end was not read yet. */
  #rest: Uint8Array = NOTHING;
  #isAtEnd = false;
  /** Number of the line at `#at`. */
  #line = 1;
  /** Why the rest of the file cannot be read; it shows when the lines before it have been read. */
  fault: FileFault | null = null;

  /** `mostCharacters`: a longer row is a fault. */
  constructor(chunks: AsyncIterable<Uint8Array>, mostCharacters: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#mostCharacters = mostCharacters;
  }

  /** Number of the next line. */
  get line(): number {
    return this.#line;
  }

  /** The next line; null: there is none. */
  async peek(): Promise<RowText | null> {
    while (this.#at === this.#text.length && !this.#isAtEnd) await this.#read();
    if (this.#at === this.#text.length) return null;
    const text = this.#text.slice(this.#at, this.#text.indexOf('\n', this.#at));
    return { line: this.#line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
  }

  /** Goes beyond the next line. */
  skip(): void {
    this.#at = this.#text.indexOf('\n', this.#at) + 1;
    this.#line += 1;
  }

  /** After the last whole line was skipped. */
  async #read(): Promise<void> {
    const { done, value: chunk = NOTHING } = await this.#chunks.next();
    const bytes = joined(this.#rest, chunk);
    const end = done ? bytes.length : bytes.lastIndexOf(LINE_END) + 1;
    [this.#text, this.#at, this.#rest, this.#isAtEnd] = ['', 0, bytes.subarray(end), done === true];
    const text = decoded(bytes.subarray(0, end));
    if (text === null) return this.#end('the file is not UTF-8 from here on');
    const lines = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    this.#text = this.#line === 1 && lines.startsWith(BYTE_ORDER_MARK) ? lines.slice(1) : lines;
    if (this.#isTooLong()) this.#end('this row is longer than any event');
  }

  #isTooLong(): boolean {
    if (this.#rest.length <= this.#mostCharacters) return false;
    return new TextDecoder().decode(this.#rest).length > this.#mostCharacters;
  }

  /** Reads no further than the lines that are there. */
  #end(message: string): void {
    this.#isAtEnd = true;
    this.fault = { line: this.#line + this.#text.split('\n').length - 1, message };
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
  try {
    return STRICT.decode(bytes);
  } catch {
    return null;
  }
}
