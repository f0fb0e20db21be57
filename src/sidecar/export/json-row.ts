import type { Row } from './row.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
/** `\u000a` */
const ESCAPED_BYTES = 6;

const TIMESTAMP = Buffer.from('{"timestamp":"');
const EVENT_TYPE = Buffer.from('","event_type":"');
const AGENT = Buffer.from('","agent":"');
const DATA = Buffer.from('","data":');
const HASH = Buffer.from(',"attestation_hash":"');
const END = Buffer.from('"}');
const NAMES_BYTES = [TIMESTAMP, EVENT_TYPE, AGENT, DATA, HASH, END].reduce(
  (sum, { length }) => sum + length,
  0,
);

/** An upper bound of a row's length as JSON. */
export function jsonRoom({ start, end, agent, data }: Row): number {
  return end - start + NAMES_BYTES + (data - agent) * ESCAPED_BYTES;
}

/** Writes a row as a JSON object and returns its end. Copies `data` unchanged, so that numbers keep their digits. */
export function writeJsonRow(bytes: Buffer, row: Row, target: Buffer, at: number): number {
  let to = copy(TIMESTAMP, 0, TIMESTAMP.length, target, at);
  to = copy(bytes, row.start, row.type - 1, target, to);
  to = copy(EVENT_TYPE, 0, EVENT_TYPE.length, target, to);
  to = copy(bytes, row.type, row.agent - 1, target, to);
  to = copy(AGENT, 0, AGENT.length, target, to);
  to = writeText(bytes, row.agent, row.data - 1, target, to);
  to = copy(DATA, 0, DATA.length, target, to);
  to = writeUnquoted(bytes, row.data, row.hash - 1, target, to);
  to = copy(HASH, 0, HASH.length, target, to);
  to = copy(bytes, row.hash, row.end - 1, target, to);
  return copy(END, 0, END.length, target, to);
}

/** A loop is faster than Buffer's copy here, because most pieces are short. */
function copy(bytes: Buffer, begin: number, end: number, target: Buffer, at: number): number {
  let to = at;
  for (let from = begin; from < end; from += 1) {
    target[to] = bytes[from]!;
    to += 1;
  }
  return to;
}

/** Writes a CSV cell as the inside of a JSON string. */
function writeText(bytes: Buffer, begin: number, end: number, target: Buffer, at: number): number {
  const inQuotes = bytes[begin] === QUOTE;
  let to = at;
  for (let from = inQuotes ? begin + 1 : begin; from < (inQuotes ? end - 1 : end); from += 1) {
    const byte = bytes[from]!;
    if (byte === QUOTE) from += 1;
    if (byte < FIRST_PRINTABLE) to += target.write(`\\u00${byte.toString(16).padStart(2, '0')}`, to);
    else {
      if (byte === QUOTE || byte === BACKSLASH) target[to++] = BACKSLASH;
      target[to++] = byte;
    }
  }
  return to;
}

/** Reads a CSV cell without its quotes. */
function writeUnquoted(bytes: Buffer, begin: number, end: number, target: Buffer, at: number): number {
  if (bytes[begin] !== QUOTE) return copy(bytes, begin, end, target, at);
  let to = at;
  for (let from = begin + 1; from < end - 1; from += 1) {
    const byte = bytes[from]!;
    if (byte === QUOTE) from += 1;
    target[to++] = byte;
  }
  return to;
}
