import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.ts';
import type { Validators } from './preconditions.ts';

/** The bytes that stand for the file in an answer; each encoding has an entity tag of its own (RFC 9110 §8.8.3.3). */
export interface Representation extends Validators {
  /** Of the answer that has the whole of it. */
  headers: Readonly<Record<string, string>>;
  bytes: number;
  /** The bytes, in memory or as a stream; `range` is a part of them. */
  read: (range: ByteRange | null) => Promise<Readable | Buffer> | Buffer;
}
