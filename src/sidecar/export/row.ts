const COMMA = 0x2c;
const QUOTE = 0x22;
const LINE_END = 0x0a;
/** `0x`, 64 hex digits and the line end. */
const HASH_BYTES = 2 + 64 + 1;

/**
 * Where the cells of one row of a segment stand, as offsets of its bytes; each ends before the comma in front of the
 * next. Used again for each row.
 */
export class Row {
  start = 0;
  type = 0;
  agent = 0;
  data = 0;
  hash = 0;
  /** After the line end. */
  end = 0;

  /**
   * Reads the row that begins at `start`. Of its cells only agent and data are ever in quotes, and data has no line end
   * in it: it is part of a line of the ledger. Throws an Error where the bytes are no rows.
   */
  read(bytes: Buffer, start: number): void {
    this.start = start;
    this.type = after(COMMA, bytes, start);
    this.agent = after(COMMA, bytes, this.type);
    this.data =
      bytes[this.agent] === QUOTE ? afterQuoted(bytes, this.agent) : after(COMMA, bytes, this.agent);
    this.end = afterLine(bytes, this.data);
    this.hash = this.end - HASH_BYTES;
  }
}

/** After the next such byte. A loop: these cells are short, and a call of indexOf takes longer. */
function after(byte: number, bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) if (bytes[at] === byte) return at + 1;
  throw notRows();
}

function afterLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LINE_END, from);
  if (end < 0) throw notRows();
  return end + 1;
}

/** After the comma behind a cell in quotes, in which a quote stands twice. */
function afterQuoted(bytes: Buffer, from: number): number {
  let at = from + 1;
  for (;;) {
    at = after(QUOTE, bytes, at);
    if (bytes[at] === QUOTE) at += 1;
    else return at + 1;
  }
}

function notRows(): Error {
  return new Error('the bytes of a segment are not rows of the export');
}
