import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { CathedralError, type ErrorCode } from '../errors.ts';

/** Far above any key, policy, mapping or charter. A device such as /dev/zero has no end. */
const MOST_BYTES = 4 * 1024 * 1024;

/** A small file that a user named, whole. Throws an error of this code for one that cannot be read or is longer than 4 MiB. */
export async function readGiven(
  path: string,
  expected = 'a readable file',
  code: ErrorCode = 'config_invalid',
): Promise<Buffer> {
  const bytes = await readAtMost(path, MOST_BYTES + 1).catch((cause: NodeJS.ErrnoException) => {
    throw new CathedralError(code, { place: path, expected, found: cause.code ?? cause.message, cause });
  });
  if (bytes.length <= MOST_BYTES) return bytes;
  const most = `${expected} of at most ${MOST_BYTES} bytes`;
  throw new CathedralError(code, { place: path, expected: most, found: 'more' });
}

/**
 * The text of a file that a user wrote: UTF-8, with or without a byte order mark; lines end with a line feed in what is returned. Throws an error of
 * this code with the line of other bytes.
 */
export function givenText(bytes: Buffer, place: string, code: ErrorCode = 'config_invalid'): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes).replaceAll('\r\n', '\n');
  const lines = bytes.toString('latin1').split('\n');
  const line = lines.findIndex((one) => !isUtf8(Buffer.from(one, 'latin1'))) + 1;
  throw new CathedralError(code, {
    place: `${place}:${line}`,
    expected: 'UTF-8 (save the file with this encoding)',
    found: 'bytes that are not',
  });
}

/** The first `bytes` bytes of a file, or all of a shorter one. Throws the system's errors. */
export async function readAtMost(path: string, bytes: number): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(createReadStream(path, { end: bytes - 1 })));
}
