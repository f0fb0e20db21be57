import type { FileFault, Lines, RowText } from './lines.ts';

/** How a JSON document ends. */
export interface JsonDocument {
  /** What is missing where it is cut off, for messages. */
  ending: string;
  /** What is wrong with its last line after so many rows; null: nothing. */
  faultOf: (text: string, rows: number) => string | null;
}

/** The rows of a file, one a line. In a JSON document without the commas between them, up to the last line, which begins with `]`. */
export class FileRows {
  readonly #lines: Lines;
  readonly #document: JsonDocument | null;
  /** The end of a JSON document, once it has been read. */
  #tail: RowText | null;
  #next: RowText | null = null;
  #count = 0;
  /** Of the last row of a JSON document that was read; null before the first. */
  #endsInComma: boolean | null = null;
  #last = 0;
  #fault: FileFault | null = null;
  #hasEnded = false;

  constructor(lines: Lines, document: JsonDocument | null, tail: RowText | null = null) {
    this.#lines = lines;
    this.#document = document;
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

  /** The row that comes next; null: there are no more. */
  async peek(): Promise<RowText | null> {
    if (this.#next || this.#hasEnded) return this.#next;
    const line = this.#tail ? null : await this.#lines.peek();
    if (!this.#document) this.#next = line;
    else if (line && !line.text.startsWith(']')) this.#next = this.#withoutComma(line);
    else {
      this.#tail ??= line;
      if (line) this.#lines.skip();
      if (this.#endsInComma) this.#fault ??= { line: this.#last, message: 'a comma follows the last row' };
      this.#fault ??= await this.#endFault(this.#document);
    }
    if (this.#next) return this.#next;
    this.#fault ??= this.#lines.fault;
    this.#hasEnded = true;
    return null;
  }

  /** A row of a JSON document, in which commas stand between rows, and nowhere else. */
  #withoutComma({ line, text }: RowText): RowText {
    if (this.#endsInComma === false)
      this.#fault ??= { line: this.#last, message: 'no comma follows this row' };
    [this.#endsInComma, this.#last] = [text.endsWith(','), line];
    return { line, text: this.#endsInComma ? text.slice(0, -1) : text };
  }

  /** Goes beyond the row that comes next. */
  skip(): void {
    this.#next = null;
    this.#count += 1;
    this.#lines.skip();
  }

  async #endFault({ ending, faultOf }: JsonDocument): Promise<FileFault | null> {
    const lines = this.#lines;
    const tail = this.#tail;
    if (!tail) {
      if (lines.fault) return lines.fault;
      return { line: lines.line - 1, message: `the file is cut off here: ${ending} is missing` };
    }
    const more = await lines.peek();
    if (more) return { line: more.line, message: 'something follows the end of the JSON document' };
    if (lines.fault) return lines.fault;
    const message = faultOf(tail.text, this.#count);
    return message === null ? null : { line: tail.line, message };
  }
}
