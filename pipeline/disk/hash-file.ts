import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;

interface Hashed {
  bytes: number;
  sha256: string;
}

/** Number of bytes and SHA-256 in hex of a file, in constant memory. Throws the system's errors. */
export function hashFile(path: string): Promise<Hashed> {
  return hashChunks(createReadStream(path, { highWaterMark: CHUNK_BYTES }));
}

/** The same of what is read from anywhere. Throws what reading throws. */
export async function hashChunks(chunks: AsyncIterable<Uint8Array>): Promise<Hashed> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
