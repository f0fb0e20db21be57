import { mismatch } from '../mismatch.ts';
import type { Opened } from './origin.ts';

/** The rest of a file of `bytes`; stops it at the first sign that it is longer or shorter. */
export async function* promisedBody(
  { from, bytes: announced, body }: Opened,
  bytes: number,
  place: string,
): AsyncGenerator<Uint8Array> {
  let at = from;
  for await (const chunk of body) {
    if (announced !== null && from + announced !== bytes)
      throw mismatch(place, `${bytes} bytes`, `${from + announced}`);
    at += chunk.length;
    if (at > bytes) throw mismatch(place, `${bytes} bytes`, 'more');
    yield chunk;
  }
  if (at < bytes) throw mismatch(place, `${bytes} bytes`, `${at}`);
}
