import { isUtf8 } from 'node:buffer';
import { CathedralError } from '../../errors.ts';

/** A file of rows or events, or standard input. */
export interface Input {
  /** For messages: `votes.csv`, `standard input`. */
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

const BOMS: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Files of another kind, by their first bytes. */
const FOREIGN: readonly (readonly [kind: string, bytes: readonly number[]])[] = [
  ['a workbook (.xlsx or .ods): save it as “CSV UTF-8”', [0x50, 0x4b, 0x03, 0x04]],
  ['an old Excel workbook (.xls): save it as “CSV UTF-8”', [0xd0, 0xcf, 0x11, 0xe0]],
  ['a gzip file: decompress it first', [0x1f, 0x8b]],
  ['a zstd file: decompress it first', [0x28, 0xb5, 0x2f, 0xfd]],
];

const HEAD_BYTES = 4;
const LINE_END = 0x0a;

/**
 * The content as UTF-8 without a byte order mark, in chunks that end between two characters. A byte order mark tells the encoding;
 * `encoding` is that of a file without one, by default UTF-8. Throws `ledger_corrupt` for other bytes, with their line.
 */
export async function* utf8Chunks({ name, bytes }: Input, encoding = 'utf-8'): AsyncGenerator<Buffer> {
  const { head, rest } = await withHead(bytes[Symbol.asyncIterator]());
  for (const [kind, start] of FOREIGN) if (begins(head, start)) throw corrupt(name, 'text', kind);
  const bom = BOMS.find(([, start]) => begins(head, start));
  const own = bom?.[0] ?? new TextDecoder(encoding).encoding;
  yield* own === 'utf-8' ? checked(rest, name, bom?.[1].length ?? 0) : recoded(rest, name, own);
}

/** At least the first bytes of the content, if there are as many, and all of it. */
async function withHead(source: AsyncIterator<Uint8Array>) {
  const chunks: Buffer[] = [];
  let length = 0;
  for (let step = await next(); step !== null; step = length < HEAD_BYTES ? await next() : null) {
    chunks.push(step);
    length += step.length;
  }
  async function next(): Promise<Buffer | null> {
    const { done, value } = await source.next();
    return done ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
      for (let step = await next(); step !== null; step = await next()) yield step;
    } finally {
      await source.return?.();
    }
  }
  return { head: Buffer.concat(chunks), rest: all() };
}

function begins(bytes: Buffer, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

async function* checked(chunks: AsyncIterable<Buffer>, name: string, skip: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let lines = 1;
  let skipped = 0;
  for await (const chunk of chunks) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const start = Math.min(skip - skipped, all.length);
    skipped += start;
    const end = all.length - incomplete(all);
    const whole = all.subarray(start, Math.max(start, end));
    rest = all.subarray(Math.max(start, end));
    if (!isUtf8(whole) || whole.includes(0)) throw notUtf8(whole, name, lines);
    lines += linesIn(whole);
    if (whole.length > 0) yield whole;
  }
  if (rest.length > 0) throw notUtf8(rest, name, lines);
}

/** Number of bytes at the end that begin a character of which the rest is missing: at most three. */
function incomplete(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? back : 0;
  }
  return 0;
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}

const EXPORT = 'export it as “CSV UTF-8”';

/** Says which byte is not UTF-8, and in which line. */
export function notUtf8(bytes: Buffer, name: string, linesBefore: number): CathedralError {
  const nul = bytes.indexOf(0);
  if (nul >= 0)
    return corrupt(
      `${name}:${linesBefore + linesIn(bytes.subarray(0, nul))}`,
      `UTF-8: ${EXPORT}, or name the "encoding" in the mapping file`,
      'a NUL byte, as in UTF-16 without a byte order mark or in a binary file',
    );
  let at = 0;
  // The first byte that no character begins or continues with.
  while (at < bytes.length && isUtf8(bytes.subarray(0, at + 1 + incompleteAfter(bytes, at)))) at += 1;
  const line = linesBefore + linesIn(bytes.subarray(0, at));
  const byte = bytes[at]!;
  const letter = new TextDecoder('windows-1252').decode(bytes.subarray(at, at + 1));
  return corrupt(
    `${name}:${line}`,
    `UTF-8: ${EXPORT}, or name the "encoding" in the mapping file, such as windows-1252`,
    `the byte 0x${byte.toString(16)}, which is ${JSON.stringify(letter)} in Windows-1252`,
  );
}

/** Number of bytes that a character at `at` has beyond its first. */
function incompleteAfter(bytes: Buffer, at: number): number {
  const byte = bytes[at]!;
  return byte < 0xc0 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
}

async function* recoded(
  chunks: AsyncIterable<Buffer>,
  name: string,
  encoding: string,
): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let lines = 1;
  const decode = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw corrupt(`${name}:${lines} or after`, encoding, 'other bytes', cause);
    }
  };
  for await (const chunk of chunks) {
    const text = Buffer.from(decode(chunk));
    lines += linesIn(text);
    if (text.length > 0) yield text;
  }
  const end = decode();
  if (end !== '') yield Buffer.from(end);
}

/** Most of a first line that is looked at, in characters. */
const MAX_PEEK = 1024 * 1024;

/** The text of the first line at least, with its line end, and all of the content. */
export async function peekLine(chunks: AsyncGenerator<Buffer>) {
  const taken: Buffer[] = [];
  let start = '';
  while (!/\S[\r\n]/.test(start) && start.length < MAX_PEEK) {
    const step = await chunks.next();
    if (step.done) break;
    taken.push(step.value);
    start += step.value.toString();
  }
  async function* content(): AsyncGenerator<Buffer> {
    try {
      yield* taken;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  }
  return { start, content: content() };
}

function corrupt(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('ledger_corrupt', { place, expected, found, cause });
}
