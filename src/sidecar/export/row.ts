const COMMA = 0x2c;
const QUOTE = 0x22;
const LINE_END = 0x0a;
/** `0x`, 64 hex digits and the line end. */
const HASH_BYTES = 2 + 64 + 1;

/** Offsets of a row's cells in the bytes of a segment. Each cell ends before the comma of the next. Reused for each row. */
export class Row {
  start = 0;
  type = 0;
  agent = 0;
  data = 0;
  hash = 0;
  /** Offset after the line end. */
  end = 0;

  /**
   * Reads the row at `start`. Only the cells agent and data are ever quoted, and data contains no line end, because it is part
   * of a ledger line. Throws an Error if the bytes are not rows.
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

/** The offset after the next such byte. A loop is faster than indexOf here, because the cells are short. */
function after(byte: number, bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) if (bytes[at] === byte) return at + 1;
  throw notRows();
}

function afterLine(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LINE_END, from);
  if (end < 0) throw notRows();
  return end + 1;
}

/** The offset after the comma behind a quoted cell, in which quotes are doubled. */
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
