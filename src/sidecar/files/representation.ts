import { EXPOSED_HEADERS } from '../request/answer.ts';
import type { Encoding } from './accept-encoding.ts';
import type { ByteRange } from './byte-range.ts';
import type { FileBody } from './file-body.ts';
import type { Validators } from './preconditions.ts';

/** The bytes that stand for the file in an answer; each encoding has an entity tag of its own (RFC 9110 §8.8.3.3). */
export interface Representation extends Validators {
  /** Of the answer that has the whole of it. */
  headers: Readonly<Record<string, string>>;
  bytes: number;
  /** The bytes, in memory or in a file that is open; `range` is a part of them. */
  read: (range: ByteRange | null) => Promise<FileBody | Buffer> | Buffer;
}

/** The headers of all of it: to `general`, those of the file, it adds those of these bytes. */
export function representationHeaders(
  general: Readonly<Record<string, string>>,
  { etag, modified, bytes }: Validators & { bytes: number },
  { encoding, varies }: { encoding: Encoding | null; varies: boolean },
): Record<string, string> {
  return {
    ...general,
    ETag: etag,
    'Last-Modified': new Date(modified).toUTCString(),
    'Accept-Ranges': 'bytes',
    'Content-Length': String(bytes),
    ...(encoding && { 'Content-Encoding': encoding }),
    ...(varies && { Vary: 'Accept-Encoding' }),
    ...('Access-Control-Allow-Origin' in general && { 'Access-Control-Expose-Headers': EXPOSED_HEADERS }),
  };
}
