import { crc32, deflateRawSync } from 'node:zlib';

/** Version 2.0, which has deflate and folders. */
const VERSION = 20;
/** 1980-01-01, the first day that the format knows: a file's own time would make other bytes each run. */
const NO_TIME = 0;
const FIRST_DAY = (1 << 5) | 1;
const DEFLATED = 8;
/** Bit 3: size and CRC stand after the data, where they are known. Bit 11: names are UTF-8. */
const FLAGS = (1 << 3) | (1 << 11);

/** What the directory at the end says of an entry. */
export interface ZipEntry {
  name: string;
  crc: number;
  /** Bytes before and after compression. */
  raw: number;
  packed: number;
  /** Of its header in the file. */
  at: number;
}

/** What stands before an entry's data (APPNOTE 4.3.7). */
export function localHeader(name: string): Buffer {
  const text = Buffer.from(name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, text);
  return Buffer.concat([header, text]);
}

/** What stands after it (4.3.9). */
export function dataDescriptor({ crc, raw, packed }: ZipEntry): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  writeSizes(descriptor, 4, { crc, raw, packed });
  return descriptor;
}

/** The directory of all entries, and the end of the archive (4.3.12, 4.3.16). */
export function centralDirectory(entries: readonly ZipEntry[], at: number): Buffer {
  const headers = entries.map(directoryHeader);
  const bytes = headers.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...headers, end]);
}

function directoryHeader(entry: ZipEntry): Buffer {
  const text = Buffer.from(entry.name);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(VERSION, 4);
  writeCommon(header, 6, text);
  writeSizes(header, 16, entry);
  header.writeUInt32LE(entry.at, 42);
  return Buffer.concat([header, text]);
}

function writeCommon(header: Buffer, at: number, name: Buffer): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(FLAGS, at + 2);
  header.writeUInt16LE(DEFLATED, at + 4);
  header.writeUInt16LE(NO_TIME, at + 6);
  header.writeUInt16LE(FIRST_DAY, at + 8);
  header.writeUInt16LE(name.length, at + 22);
}

function writeSizes(header: Buffer, at: number, { crc, raw, packed }: Omit<ZipEntry, 'name' | 'at'>): void {
  header.writeUInt32LE(crc, at);
  header.writeUInt32LE(packed, at + 4);
  header.writeUInt32LE(raw, at + 8);
}

/** A whole small entry, and what the directory says of it. */
export function zipEntry(
  name: string,
  content: string | Uint8Array,
  at: number,
): { bytes: Buffer; entry: ZipEntry } {
  const raw = typeof content === 'string' ? Buffer.from(content) : content;
  const packed = deflateRawSync(raw);
  const entry = { name, crc: crc32(raw), raw: raw.length, packed: packed.length, at };
  return { bytes: Buffer.concat([localHeader(name), packed, dataDescriptor(entry)]), entry };
}

/** A whole archive of small files, in the order given. The same files give the same bytes. */
export function zipFiles(files: Iterable<readonly [name: string, content: string | Uint8Array]>): Buffer {
  const entries: ZipEntry[] = [];
  const parts: Buffer[] = [];
  let at = 0;
  for (const [name, content] of files) {
    const { bytes, entry } = zipEntry(name, content, at);
    entries.push(entry);
    parts.push(bytes);
    at += bytes.length;
  }
  return Buffer.concat([...parts, centralDirectory(entries, at)]);
}
