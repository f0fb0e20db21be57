import { createHash } from 'node:crypto';

/** Length and SHA-256, hex, of all that comes. */
export async function measure(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
