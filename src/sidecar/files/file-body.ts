import { type FileHandle, open } from 'node:fs/promises';
import { StreamedBody } from '../request/streamed-body.ts';

/** Bytes of a file, the last one included. */
export interface ByteRange {
  first: number;
  last: number;
}

/** A file that is too large for memory. */
export interface FileSource {
  /** Its path. */
  file: string;
  /** Bytes to be sent before the end of the file, which is then longer than what is sent of it. */
  head?: Buffer;
}

const NO_HEAD: Buffer = Buffer.alloc(0);

/** Throws an Error if the file is missing or has another size, so that a client gets an error rather than half a file. */
export async function openFileBody(
  { file: place, head }: FileSource,
  bytes: number,
  range: ByteRange | null,
): Promise<StreamedBody> {
  const handle = await open(place);
  const { size } = await handle.stat();
  const least = bytes - (head?.length ?? 0);
  // It is only read, so an error on closing it loses nothing.
  const close = () => handle.close().catch(() => undefined);
  if (head ? size >= least : size === bytes) {
    const opened = { handle, place, head: head ?? NO_HEAD, shift: size - bytes };
    return new StreamedBody(fileChunks(opened, range ?? { first: 0, last: bytes - 1 }), close);
  }
  await close();
  throw new Error(`${place}: expected ${head ? 'at least ' : ''}${least} bytes, found ${size}`);
}

interface OpenFile {
  handle: FileHandle;
  place: string;
  head: Buffer;
  /** What to add to a position in the body to get the one in the file. */
  shift: number;
}

/** For slow clients, and when there are very many. */
const SMALL_BYTES = 16 * 1024;
/** Two of them hold what a long-distance connection has in flight. */
const LARGE_BYTES = 256 * 1024;
/** Files sent with large buffers at once: 32 MB, however many clients there are and however slowly they read. */
const MAX_LARGE = 64;
/** Chunks that a client must take quickly before it gets large buffers. */
const TRIAL_CHUNKS = 8;
/** A client that takes longer for a chunk is slow, ms. */
const SLOW_MS = 1000;

let large = 0;

/**
 * Reads into two buffers in turn: small at first, large for a quick client while few others have large ones. This bounds the memory that
 * clients which never read can hold.
 */
async function* fileChunks(opened: OpenFile, { first, last }: ByteRange): AsyncGenerator<Buffer> {
  let [buffer, other] = allocate(SMALL_BYTES);
  let quick = 0;
  try {
    for (let at = first; at <= last; ) {
      const chunk = await read(opened, buffer.subarray(0, last + 1 - at), at);
      const readAt = performance.now();
      yield chunk;
      at += chunk.length;
      [buffer, other] = [other, buffer];
      quick = performance.now() - readAt > SLOW_MS ? 0 : quick + 1;
      const isLarge = buffer.length > SMALL_BYTES;
      if (isLarge === quick > TRIAL_CHUNKS || (!isLarge && large >= MAX_LARGE)) continue;
      [buffer, other] = allocate(isLarge ? SMALL_BYTES : LARGE_BYTES);
      large += isLarge ? -1 : 1;
    }
  } finally {
    if (buffer.length > SMALL_BYTES) large -= 1;
  }
}

function allocate(bytes: number): [Buffer, Buffer] {
  return [Buffer.allocUnsafeSlow(bytes), Buffer.allocUnsafeSlow(bytes)];
}

async function read({ handle, place, head, shift }: OpenFile, buffer: Buffer, at: number): Promise<Buffer> {
  if (at < head.length) return head.subarray(at, at + buffer.length);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, at + shift);
  if (bytesRead > 0) return buffer.subarray(0, bytesRead);
  throw new Error(`${place}: expected ${buffer.length} bytes at ${at}, found the end of the file`);
}
