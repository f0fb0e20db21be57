import { mismatch } from './mismatch.ts';
import { measure } from './origin/measure.ts';
import type { Ended } from './snapshot-list.ts';

/** A history of then is its beginning of then and `tail`, the end of what it is now. Throws mirror_mismatch. */
export async function assertEnded(
  { path, head, sha256, bytes }: Ended,
  tail: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  place: string,
): Promise<void> {
  const found = await measure(joined(Buffer.from(head), tail));
  if (found.bytes !== bytes) throw mismatch(`${place}: ${path}`, `${bytes} bytes`, `${found.bytes}`);
  if (found.sha256 !== sha256) throw mismatch(`${place}: ${path}`, `SHA-256 ${sha256}`, found.sha256);
}

async function* joined(head: Uint8Array, tail: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  yield head;
  yield* tail;
}
