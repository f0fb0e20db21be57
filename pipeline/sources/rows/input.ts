import { isAscii, isUtf8 } from 'node:buffer';
import { type CathedralError, errorOf } from '../../errors.ts';
import { MISREAD } from '../../ledger/events/draft.ts';
import type { FileRecord } from './records.ts';

const corrupt = errorOf('ledger_corrupt');

/** A file of rows or events, or standard input. */
export interface Input {
  /** For messages: `votes.csv`, `standard input`. */
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

const MARK = Buffer.of(0xef, 0xbb, 0xbf);
const BOMS: readonly (readonly [encoding: string, bytes: Buffer])[] = [
  ['utf-8', MARK],
  ['utf-16le', Buffer.of(0xff, 0xfe)],
  ['utf-16be', Buffer.of(0xfe, 0xff)],
];

/** Files of another kind, by their first bytes. */
const FOREIGN: readonly (readonly [kind: string, bytes: Buffer])[] = [
  ['a workbook (.xlsx, .ods) or a zip file: save it as “CSV UTF-8”, or unpack it', Buffer.from('PK\x03\x04')],
  ['an old Excel workbook (.xls): save it as “CSV UTF-8”', Buffer.of(0xd0, 0xcf, 0x11, 0xe0)],
  ['a gzip file: decompress it first', Buffer.of(0x1f, 0x8b)],
  ['a zstd file: decompress it first', Buffer.of(0x28, 0xb5, 0x2f, 0xfd)],
];

/** Bytes that tell what a file is. */
const HEAD_BYTES = 4;

/** The encoding that the first bytes of a file tell, and the length of its byte order mark. */
export function markOf(head: Buffer): { encoding: string; length: number } | null {
  const found = BOMS.find(([, mark]) => head.subarray(0, mark.length).equals(mark));
  return found ? { encoding: found[0], length: found[1].length } : null;
}

/** Throws `ledger_corrupt` for a file of another kind, by its first bytes. */
export function assertText(head: Buffer, name: string): void {
  for (const [kind, start] of FOREIGN)
    if (head.subarray(0, start.length).equals(start)) throw corrupt(name, 'text', kind);
}

/**
 * The content in UTF-8 without a byte order mark. The mark tells the encoding; `encoding` is that of a file without one, by default UTF-8.
 * Whether UTF-8 is valid is not checked. Throws `ledger_corrupt` for a file of another kind, and for bytes that another encoding does not have.
 */
export async function* utf8Chunks(input: Input, encoding = 'utf-8'): AsyncGenerator<Buffer> {
  const { start: head, content } = await begun(buffers(input.bytes), HEAD_BYTES);
  assertText(head, input.name);
  const mark = markOf(head);
  const own = mark?.encoding ?? new TextDecoder(encoding).encoding;
  if (own === 'utf-8') yield* skipping(content, mark?.length ?? 0);
  else yield* recoded(content, input.name, own);
}

async function* buffers(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

async function* skipping(chunks: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let left = length;
  for await (const chunk of chunks) {
    const rest = chunk.subarray(left);
    left -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
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
      return Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
    } catch (cause) {
      throw corrupt(`${name}:${lines} or after`, encoding, 'other bytes', cause);
    }
  };
  for await (const chunk of chunks) {
    const text = decode(chunk);
    lines += linesIn(text);
    if (text.length > 0) yield text;
  }
  const end = decode();
  if (end.length > 0) yield end;
}

/** The beginning of the chunks, at least that many bytes or all, and all of them, which can be read once. */
export async function begun(
  chunks: AsyncGenerator<Buffer>,
  bytes: number,
): Promise<{ start: Buffer; isWhole: boolean; content: AsyncGenerator<Buffer> }> {
  const taken: Buffer[] = [];
  let length = 0;
  let isWhole = false;
  while (length < bytes && !isWhole) {
    const { done = false, value } = await chunks.next();
    isWhole = done;
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  async function* content(): AsyncGenerator<Buffer> {
    try {
      yield* taken.splice(0);
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  }
  return { start: Buffer.concat(taken), isWhole, content: content() };
}

/** Records → UTF-8. Throws `ledger_corrupt`. */
export type Decode = (record: Pick<FileRecord, 'bytes' | 'line'>) => Buffer;

/** Decodes the records of a file in an encoding in which a line end is one byte. */
export function decoderOf(name: string, encoding = 'utf-8'): Decode {
  const decoder = new TextDecoder(encoding, { fatal: true });
  if (decoder.encoding !== 'utf-8')
    return ({ bytes, line }) => {
      if (isMisread(bytes, decoder.encoding))
        throw corrupt(
          `${name}:${line}`,
          `${encoding}, as the mapping file says. If the whole file is in UTF-8 now, name that there`,
          `UTF-8: ${JSON.stringify(bytes.toString().trim().slice(0, 80))}`,
        );
      try {
        return Buffer.from(decoder.decode(bytes));
      } catch (cause) {
        throw corrupt(`${name}:${line}`, encoding, 'other bytes', cause);
      }
    };
  return ({ bytes, line }) => {
    const isMarked = bytes[0] === MARK[0] && bytes.subarray(0, MARK.length).equals(MARK);
    if (isUtf8(bytes) && !bytes.includes(0) && !isMarked) return bytes;
    throw notUtf8(bytes, name, line);
  };
}

const EXPORT = 'export it as “CSV UTF-8”';

const WESTERN = new TextDecoder('windows-1252');

/** Whether a row of a file in another encoding, with a byte for each letter, is in UTF-8, as if another program had appended it. */
function isMisread(bytes: Buffer, encoding: string): boolean {
  return (
    /^(windows|iso-8859|mac|x-mac|koi8|ibm)/.test(encoding) &&
    !isAscii(bytes) &&
    isUtf8(bytes) &&
    MISREAD.test(WESTERN.decode(bytes))
  );
}

/** Says which byte is not UTF-8, or a byte order mark within a file, and in which line. */
function notUtf8(bytes: Buffer, name: string, line: number): CathedralError {
  const nul = bytes.indexOf(0);
  if (nul >= 0)
    return corrupt(
      `${name}:${line + linesIn(bytes.subarray(0, nul))}`,
      `UTF-8: ${EXPORT}, or name the "encoding" in the mapping file`,
      'a NUL byte, as in UTF-16 without a byte order mark or in a binary file',
    );
  // Nobody would see it in a row's first cell, which is often its id.
  if (isUtf8(bytes))
    return corrupt(
      `${name}:${line}`,
      'a byte order mark only where the file begins',
      'one as where two files were joined',
    );
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const at = Buffer.byteLength(text.slice(0, text.indexOf('\ufffd')));
  const letter = new TextDecoder('windows-1252').decode(bytes.subarray(at, at + 1));
  return corrupt(
    `${name}:${line + linesIn(bytes.subarray(0, at))}`,
    `UTF-8: ${EXPORT}, or name the "encoding" in the mapping file, such as windows-1252`,
    `the byte 0x${bytes[at]!.toString(16)}, which is ${JSON.stringify(letter)} in Windows-1252`,
  );
}

const LINE_END = 0x0a;

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
}
