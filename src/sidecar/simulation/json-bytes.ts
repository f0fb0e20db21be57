/** Bytes to begin with: room for eight updates of seven thousand. */
const ROOM = 64 * 1024;
const STEP = 4 * 1024;
/** Of a number: ten digits, a point, six places. */
const NUMBER_ROOM = 17;
/** From this length on the way into native code is shorter than one byte after the other. */
const LONG = 8;
/** Where numbers of six places have at most fifteen digits, so that no shorter text reads back as the same number. */
const EXACT = 1e15;
const MILLION = 1e6;
const [ZERO, POINT] = [0x30, 0x2e];

/** `000` to `999`, one after the other. */
const THREE_DIGITS = Uint8Array.from(
  Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0')).join(''),
  (digit) => ZERO + Number(digit),
);

const KEPT = new WeakMap<object, Uint8Array>();

/**
 * JSON as UTF-8, written piece by piece into bytes that are used again: nothing is left for the garbage collector, which
 * costs as much as all else where thousands of texts are made in a second.
 */
export class JsonBytes {
  #bytes = Buffer.allocUnsafeSlow(ROOM);
  #length = 0;

  /** Text that is JSON already, in ASCII. */
  text(ascii: string): this {
    this.#reserve(ascii.length);
    if (ascii.length >= LONG) this.#length += this.#bytes.write(ascii, this.#length, 'latin1');
    else this.#short(ascii);
    return this;
  }

  #short(ascii: string): void {
    const bytes = this.#bytes;
    const begin = this.#length;
    const { length } = ascii;
    for (let at = 0; at < length; at += 1) bytes[begin + at] = ascii.charCodeAt(at);
    this.#length = begin + length;
  }

  /** UTF-8 that is JSON already. */
  bytes(utf8: Uint8Array): this {
    this.#reserve(utf8.length);
    this.#bytes.set(utf8, this.#length);
    this.#length += utf8.length;
    return this;
  }

  json(value: unknown): this {
    if (value === null) return this.text('null');
    if (Array.isArray(value) && value.length === 0) return this.text('[]');
    return this.bytes(Buffer.from(JSON.stringify(value)));
  }

  /** The JSON of what is the same object in many texts, and is not changed. */
  kept(value: object | null): this {
    if (value === null || (Array.isArray(value) && value.length === 0)) return this.json(value);
    let known = KEPT.get(value);
    if (!known) {
      // Of its own: a slice of the pool would keep all of the pool.
      known = new TextEncoder().encode(JSON.stringify(value));
      KEPT.set(value, known);
    }
    return this.bytes(known);
  }

  /** Takes the brace back that the object before ended with, so that more members can follow. */
  reopen(): this {
    this.#length -= 1;
    return this;
  }

  /** As JSON.stringify writes it; quick for those from 0 to 10⁹ that have at most six places. */
  number(value: number): this {
    const millionths = Math.floor(value * MILLION + 0.5);
    if (!(millionths >= 0 && millionths < EXACT && millionths / MILLION === value)) return this.json(value);
    this.#reserve(NUMBER_ROOM);
    const whole = Math.floor(value);
    this.#whole(whole);
    const rest = millionths - whole * MILLION;
    if (rest > 0) this.#places(rest);
    return this;
  }

  get length(): number {
    return this.#length;
  }

  /** What was written: the same bytes that are written over once it was cleared. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #whole(value: number): void {
    if (value >= 1000) {
      const upper = Math.floor(value / 1000);
      this.#whole(upper);
      this.#three(value - upper * 1000);
      return;
    }
    const digits = value * 3;
    if (value >= 100) this.#bytes[this.#length++] = THREE_DIGITS[digits]!;
    if (value >= 10) this.#bytes[this.#length++] = THREE_DIGITS[digits + 1]!;
    this.#bytes[this.#length++] = THREE_DIGITS[digits + 2]!;
  }

  #three(value: number): void {
    const digits = value * 3;
    const bytes = this.#bytes;
    const at = this.#length;
    bytes[at] = THREE_DIGITS[digits]!;
    bytes[at + 1] = THREE_DIGITS[digits + 1]!;
    bytes[at + 2] = THREE_DIGITS[digits + 2]!;
    this.#length = at + 3;
  }

  /** Six places, without zeros at the end. */
  #places(millionths: number): void {
    const upper = Math.floor(millionths / 1000);
    this.#bytes[this.#length++] = POINT;
    this.#three(upper);
    this.#three(millionths - upper * 1000);
    while (this.#bytes[this.#length - 1] === ZERO) this.#length -= 1;
  }

  #reserve(more: number): void {
    const least = this.#length + more;
    if (least <= this.#bytes.length) return;
    // Pages are kept for long, by the thousand: no more than what they need.
    const wider = Buffer.allocUnsafeSlow(STEP * Math.ceil(least / STEP));
    wider.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = wider;
  }
}
