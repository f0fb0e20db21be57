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

/** What a platform may do faster than portable code. */
export interface BytesOfPlatform {
  isUtf8(bytes: Uint8Array): boolean;
  /** Whether `length` bytes are the same from these two offsets on. */
  equal(one: Uint8Array, at: number, other: Uint8Array, from: number, length: number): boolean;
}

/** For browsers. */
export const PORTABLE: BytesOfPlatform = {
  isUtf8(bytes) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return true;
    } catch {
      return false;
    }
  },
  equal(one, at, other, from, length) {
    for (let index = 0; index < length; index += 1) if (one[at + index] !== other[from + index]) return false;
    return true;
  },
};

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const NOTHING = new Uint8Array(0);
/** The check of a line's bytes has removed nothing. */
const TEXT = new TextDecoder('utf-8', { ignoreBOM: true });

/** Lines of UTF-8 text; no row contains a line end. Accepts Windows line ends. Keeps a chunk, and what is compared at once. */
export class Lines {
  readonly #mostCharacters: number;
  readonly #platform: BytesOfPlatform;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffer: Uint8Array = NOTHING;
  /** Of the buffer, what was read and not skipped yet, from `#at` on; valid UTF-8 up to `#valid`, where a character may be cut. */
  #bytes: Uint8Array = NOTHING;
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

  /** `mostCharacters`: a longer row is a fault. */
  constructor(
    chunks: AsyncIterable<Uint8Array>,
    mostCharacters: number,
    platform: BytesOfPlatform = PORTABLE,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#mostCharacters = mostCharacters;
    this.#platform = platform;
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

  async skipEqual(expected: Uint8Array, ends: Uint32Array, from: number, to: number): Promise<number> {
    const begin = ends[from]!;
    const length = ends[to]! - begin;
    while (this.#whole - this.#at < length && !this.#isAtEnd) await this.#readChunk();
    const found = this.#bytes.subarray(this.#at, Math.max(this.#at, this.#whole));
    const count = equalRows(found, expected, ends, { from, to, equal: this.#platform.equal });
    if (count === 0) return 0;
    this.#next = null;
    this.#at += ends[from + count]! - begin;
    this.line += count;
    return count;
  }

  #open(end: number, nextEnd: number): RowText {
    const isWindows = end > this.#at && this.#bytes[end - 1] === CARRIAGE_RETURN;
    const text = TEXT.decode(this.#bytes.subarray(this.#at, isWindows ? end - 1 : end));
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
    const isText = this.#platform.isUtf8(this.#bytes.subarray(this.#valid, valid));
    if (!isText) return this.#end(kept, 'the file is not UTF-8 from here on');
    this.#valid = valid;
    if (this.#isFirst && valid >= BYTE_ORDER_MARK.length) {
      this.#isFirst = false;
      if (BYTE_ORDER_MARK.every((byte, index) => this.#bytes[index] === byte))
        this.#at = BYTE_ORDER_MARK.length;
    }
    this.#whole = this.#bytes.lastIndexOf(LINE_END) + 1;
    const rest = this.#bytes.length - this.#whole;
    if (this.#isAtEnd || rest <= this.#mostCharacters) return;
    const characters = TEXT.decode(this.#bytes.subarray(this.#whole, valid)).length;
    if (characters > this.#mostCharacters) this.#end(this.#whole, 'this row is longer than any event');
  }

  /** What is kept moves to the beginning of the one buffer: a new one for each chunk would keep the garbage collector busy. */
  #append(chunk: Uint8Array): void {
    const kept = this.#bytes.subarray(this.#at);
    const length = kept.length + chunk.length;
    if (length > this.#buffer.length) {
      const longer = new Uint8Array(2 * length);
      longer.set(kept);
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
function cutBytes(bytes: Uint8Array): number {
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
function equalRows(
  found: Uint8Array,
  expected: Uint8Array,
  ends: Uint32Array,
  { from, to, equal }: { from: number; to: number } & Pick<BytesOfPlatform, 'equal'>,
): number {
  const begin = ends[from]!;
  const whole = ends[to]! - begin;
  if (found.length >= whole && equal(found, 0, expected, begin, whole)) return to - from;
  let count = 0;
  for (; from + count < to; count += 1) {
    const [start, end] = [ends[from + count]!, ends[from + count + 1]!];
    if (found.length < end - begin || !equal(found, start - begin, expected, start, end - start)) break;
  }
  return count;
}
