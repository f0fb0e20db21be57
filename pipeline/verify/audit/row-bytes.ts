import { entryRow, formatRow } from './entry-row.ts';
import type { RowForm } from './export-row.ts';

/** The members of a ledger line that a filter may ask for. */
export interface FilterFields {
  type: string;
  agent: string;
  cycle: string;
}

const [QUOTE, COMMA, LINE_END, BACKSLASH, SPACE] = [0x22, 0x2c, 0x0a, 0x5c, 0x20];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x3a];
const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];

/** The text of a ledger line between its values, in the order in which the format describes its members. */
const SEQ = Buffer.from('{"seq":');
const TIMESTAMP = Buffer.from(',"timestamp":"');
const CYCLE = Buffer.from('","cycle":"');
const TYPE = Buffer.from('","type":"');
const AGENT = Buffer.from('","agent":"');
const DATA = Buffer.from('","data":');
const SALT = Buffer.from(',"salt":"');
const END = Buffer.from('"}');
const LITERALS = ['true', 'false', 'null'].map((text) => Buffer.from(text));
/** Escapes of one character; what `\u` stands for is left to the JSON parser. */
const ESCAPES = tableOf((byte) => '"\\/bfnrt'.includes(String.fromCharCode(byte)));
/** Bytes that a string has as they are. */
const PLAIN = tableOf((byte) => byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH);
/** Of these, those that need no quotes in a CSV cell. */
const UNQUOTED = tableOf((byte) => PLAIN[byte] === 1 && byte !== COMMA);
/** A number with more digits may be beyond a double. */
const MOST_DIGITS = 200;
/** Levels of objects and lists in each other; a bit for each. */
const MOST_LEVELS = 30;
/** Of a row, beside its line: names of columns, the hash and punctuation. */
const MORE_BYTES = 250;

const JSON_TIMESTAMP = Buffer.from('{"timestamp":"');
const JSON_EVENT_TYPE = Buffer.from('","event_type":"');
const JSON_HASH = Buffer.from(',"attestation_hash":"0x');
const CSV_COMMA = Buffer.from(',');
const CSV_HASH = Buffer.from(',0x');
const NOTHING = Buffer.alloc(0);

/** What a row has before its values, and how it has them. */
const CSV = { timestamp: NOTHING, type: CSV_COMMA, agent: CSV_COMMA, data: CSV_COMMA, hash: CSV_HASH };
const JSON_TEXT = {
  timestamp: JSON_TIMESTAMP,
  type: JSON_EVENT_TYPE,
  agent: AGENT,
  data: DATA,
  hash: JSON_HASH,
};

function tableOf(has: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (has(byte) ? 1 : 0));
}

/**
 * Writes the rows that an export has of ledger lines, with their line ends. A line of the usual spelling is not parsed: one pass finds its
 * values and copies them. Whatever is unusual is left to the JSON parser.
 */
export class RowBytes {
  readonly #form: RowForm;
  readonly #isCsv: boolean;
  readonly #texts: typeof CSV;
  readonly #plain: Uint8Array;
  #bytes: Buffer = NOTHING;
  #target: Buffer = NOTHING;
  /** Offsets in the line and in the target. */
  #from = 0;
  #end = 0;
  #to = 0;
  /** Where the line has the values that filters ask for; null: it has an unusual spelling. */
  #at = { cycle: 0, type: 0, agent: 0, data: 0 };
  #isUsual = false;

  constructor(form: RowForm) {
    this.#form = form;
    this.#isCsv = form === 'csv';
    this.#texts = this.#isCsv ? CSV : JSON_TEXT;
    this.#plain = this.#isCsv ? UNQUOTED : PLAIN;
  }

  /** The length of a row of a line of so many bytes, at most: each byte may be a quote. */
  static room(lineBytes: number): number {
    return 2 * lineBytes + MORE_BYTES;
  }

  /**
   * Writes the row of the line between two offsets and returns its end; -1 if its text contains a line end or needs more room. `data` is
   * spelt as in the line: the row as the service writes it differs from that only where the two are equal as JSON. Throws log_invalid.
   */
  write(
    bytes: Buffer,
    { begin, end, hash }: { begin: number; end: number; hash: string },
    target: Buffer,
    at: number,
  ): number {
    this.#bytes = bytes;
    this.#target = target;
    this.#from = begin;
    this.#end = end;
    this.#to = at;
    this.#isUsual = this.#copyLine(hash);
    return this.#isUsual ? this.#to : this.#writeParsed(begin, hash, at);
  }

  /** Of the line that was written last. */
  fields(begin: number): FilterFields {
    const bytes = this.#bytes;
    if (!this.#isUsual) {
      const { type, agent, cycle } = entryRow(bytes.subarray(begin, this.#end), 0, '').event;
      return { type, agent, cycle };
    }
    const at = this.#at;
    return {
      type: bytes.toString('utf8', at.type, at.agent - AGENT.length),
      agent: bytes.toString('utf8', at.agent, at.data - DATA.length),
      cycle: bytes.toString('utf8', at.cycle, at.type - TYPE.length),
    };
  }

  #writeParsed(begin: number, hash: string, at: number): number {
    const { row } = entryRow(this.#bytes.subarray(begin, this.#end), 0, hash);
    const text = formatRow(this.#form, row);
    if (text.includes('\n') || Buffer.byteLength(text) + 2 > RowBytes.room(this.#end - begin)) return -1;
    return at + this.#target.write(`${text}${this.#form === 'json' ? ',\n' : '\n'}`, at);
  }

  #copyLine(hash: string): boolean {
    const { timestamp, type, agent, data, hash: before } = this.#texts;
    const at = this.#at;
    if (!this.#skip(SEQ) || !this.#skipDigits() || !this.#skip(TIMESTAMP)) return false;
    this.#put(timestamp);
    if (!this.#copyName() || !this.#skip(CYCLE)) return false;
    at.cycle = this.#from;
    if (!this.#skipName() || !this.#skip(TYPE)) return false;
    at.type = this.#from;
    this.#put(type);
    if (!this.#copyName() || !this.#skip(AGENT)) return false;
    at.agent = this.#from;
    this.#put(agent);
    if (!this.#copyName() || !this.#skip(DATA)) return false;
    at.data = this.#from;
    this.#put(data);
    if (!this.#copyData()) return false;
    if (!this.#skip(SALT) || !this.#skipName() || !this.#skip(END) || this.#from !== this.#end) return false;
    this.#put(before);
    this.#to += this.#target.write(hash, this.#to, 'latin1');
    if (!this.#isCsv) this.#put(END);
    if (this.#form === 'json') this.#target[this.#to++] = COMMA;
    this.#target[this.#to++] = LINE_END;
    return true;
  }

  /** Loops are faster than Buffer's methods here, because most pieces are short. */
  #put(text: Buffer): void {
    const target = this.#target;
    let to = this.#to;
    for (let index = 0; index < text.length; index += 1) target[to++] = text[index]!;
    this.#to = to;
  }

  #skip(text: Buffer): boolean {
    const bytes = this.#bytes;
    const from = this.#from;
    for (let index = 0; index < text.length; index += 1)
      if (bytes[from + index] !== text[index]) return false;
    this.#from = from + text.length;
    return this.#from <= this.#end;
  }

  /** A string up to its closing quote. */
  #skipName(): boolean {
    const bytes = this.#bytes;
    let from = this.#from;
    while (PLAIN[bytes[from]!] === 1) from += 1;
    this.#from = from;
    return from < this.#end;
  }

  #copyName(): boolean {
    const [bytes, target, plain] = [this.#bytes, this.#target, this.#plain];
    let [from, to] = [this.#from, this.#to];
    for (let byte = bytes[from]!; plain[byte] === 1; byte = bytes[from]!) {
      target[to++] = byte;
      from += 1;
    }
    this.#from = from;
    this.#to = to;
    return from < this.#end;
  }

  /** A whole number without a zero before it. */
  #skipDigits(): boolean {
    const bytes = this.#bytes;
    const begin = this.#from;
    let from = begin;
    while (bytes[from]! >= ZERO && bytes[from]! <= NINE) from += 1;
    this.#from = from;
    const digits = from - begin;
    return digits > 0 && digits < MOST_DIGITS && (digits === 1 || bytes[begin] !== ZERO);
  }

  /** An object as JSON, in a CSV cell with quotes; `{}` is the only one that needs none. */
  #copyData(): boolean {
    const bytes = this.#bytes;
    if (bytes[this.#from] !== OPEN) return false;
    const isQuoted = this.#isCsv && bytes[this.#from + 1] !== CLOSE;
    if (isQuoted) this.#target[this.#to++] = QUOTE;
    if (!this.#copyObject()) return false;
    if (isQuoted) this.#target[this.#to++] = QUOTE;
    return true;
  }

  /** An object without white space (RFC 8259), with whatever is in it. */
  #copyObject(): boolean {
    const bytes = this.#bytes;
    // Bit n: level n is an object and not a list.
    let [objects, depth, isValueDue] = [0, 0, true];
    while (this.#from < this.#end) {
      let byte = bytes[this.#from]!;
      if (isValueDue && (byte === OPEN || byte === OPEN_LIST)) {
        if (depth === MOST_LEVELS) return false;
        depth += 1;
        const isObject = byte === OPEN;
        objects = isObject ? objects | (1 << depth) : objects & ~(1 << depth);
        this.#copyByte();
        const isEmpty = bytes[this.#from] === (isObject ? CLOSE : CLOSE_LIST);
        if (!isEmpty && isObject && !this.#copyMember()) return false;
        isValueDue = !isEmpty;
        continue;
      }
      if (isValueDue) {
        if (!this.#copyScalar(byte)) return false;
        isValueDue = false;
        byte = bytes[this.#from]!;
      }
      const isObject = (objects & (1 << depth)) !== 0;
      this.#copyByte();
      if (byte === COMMA) {
        if (isObject && !this.#copyMember()) return false;
        isValueDue = true;
      } else if (byte === (isObject ? CLOSE : CLOSE_LIST)) {
        depth -= 1;
        if (depth === 0) return true;
      } else return false;
    }
    return false;
  }

  #copyByte(): void {
    this.#target[this.#to++] = this.#bytes[this.#from++]!;
  }

  /** The name of a member, and its colon. */
  #copyMember(): boolean {
    if (!this.#copyString() || this.#bytes[this.#from] !== COLON) return false;
    this.#copyByte();
    return true;
  }

  #copyScalar(byte: number): boolean {
    if (byte === QUOTE) return this.#copyString();
    const begin = this.#from;
    const isNumber = byte === MINUS || (byte >= ZERO && byte <= NINE);
    if (!(isNumber ? this.#skipNumber() : LITERALS.some((literal) => this.#skip(literal)))) return false;
    for (let from = begin; from < this.#from; from += 1) this.#target[this.#to++] = this.#bytes[from]!;
    return true;
  }

  /** A number that neither has an exponent nor begins with -0: no double prints it as another one. */
  #skipNumber(): boolean {
    const bytes = this.#bytes;
    if (bytes[this.#from] === MINUS) {
      this.#from += 1;
      if (bytes[this.#from] === ZERO) return false;
    }
    if (!this.#skipDigits()) return false;
    if (bytes[this.#from] !== POINT) return true;
    const begin = this.#from + 1;
    let from = begin;
    while (bytes[from]! >= ZERO && bytes[from]! <= NINE) from += 1;
    this.#from = from;
    return from > begin;
  }

  #copyString(): boolean {
    const [bytes, target, isCsv] = [this.#bytes, this.#target, this.#isCsv];
    let [from, to] = [this.#from, this.#to];
    if (bytes[from++] !== QUOTE) return false;
    target[to++] = QUOTE;
    if (isCsv) target[to++] = QUOTE;
    for (;;) {
      const byte = bytes[from++]!;
      target[to++] = byte;
      if (PLAIN[byte] === 1) continue;
      if (byte === QUOTE) break;
      const escaped = bytes[from++]!;
      if (byte !== BACKSLASH || ESCAPES[escaped] !== 1) return false;
      target[to++] = escaped;
      if (isCsv && escaped === QUOTE) target[to++] = QUOTE;
    }
    if (isCsv) target[to++] = QUOTE;
    this.#from = from;
    this.#to = to;
    return from < this.#end;
  }
}
