import { open } from 'node:fs/promises';

/** The first bytes of a file, at most so many: one more than is allowed is enough to see that there are too many. */
export async function readAtMost(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const read = Buffer.alloc(bytes);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(read, length, bytes - length);
      length += bytesRead;
      if (bytesRead === 0 || length === bytes) return read.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}
