import { mismatch } from '../mismatch.ts';
import type { OpenOptions, Origin, Validator } from './origin.ts';

export interface SmallFile {
  bytes: Uint8Array<ArrayBuffer>;
  validator: Validator;
}

/** How much of a file there is: exactly so many bytes, or at most. */
export type Size = { exactly: number } | { most: number };

/**
 * A file that fits into memory, and not a byte more than `size`. Null: there is none. Throws mirror_mismatch where it is
 * longer or shorter, and mirror_unreachable.
 */
export async function readSmall(origin: Origin, path: string, size: Size): Promise<SmallFile | null> {
  const found = await readUnless(origin, path, size);
  return found === 'unchanged' ? null : found;
}

/** The same; `unchanged` where the file is still the one of `unless`. */
export async function readUnless(
  origin: Origin,
  path: string,
  size: Size,
  unless?: Validator,
): Promise<SmallFile | 'unchanged' | null> {
  const options: OpenOptions = unless ? { unless } : {};
  return origin.retrying(path, async () => {
    const opened = await origin.open(path, options);
    if (opened === null || opened === 'unchanged') return opened;
    return { bytes: await readBody(opened.body, size, origin.placeOf(path)), validator: opened.validator };
  });
}

async function readBody(
  body: AsyncIterable<Uint8Array>,
  size: Size,
  place: string,
): Promise<SmallFile['bytes']> {
  const most = 'exactly' in size ? size.exactly : size.most;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most)
      throw mismatch(place, `${'exactly' in size ? 'exactly' : 'at most'} ${most} bytes`, 'more');
    chunks.push(chunk);
  }
  if ('exactly' in size && bytes !== most) throw mismatch(place, `exactly ${most} bytes`, `${bytes}`);
  return joined(chunks, bytes);
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
