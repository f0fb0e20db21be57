import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileBody } from '../../../src/sidecar/files/file-body.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

test('a long history is streamed: its header, then the end of the file, in any range', async () => {
  const file = join(await temporaryFolder(), 'long.csv');
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, row) => `row ${row}\n`).join(''));
  await writeFile(file, Buffer.concat([Buffer.from('a newer row\n'), bytes]));
  const head = Buffer.from('column\n');
  const whole = Buffer.concat([head, bytes]);
  for (const [first, last] of [
    [0, whole.length - 1],
    [0, 3],
    [5, 300_000],
    [7, 7],
    [400_000, whole.length - 1],
  ]) {
    const body = await openFileBody({ file, head }, whole.length, { first: first!, last: last! });
    const parts: Buffer[] = [];
    for await (const part of body) parts.push(Buffer.from(part));
    expect(Buffer.concat(parts).equals(whole.subarray(first, last! + 1))).toBe(true);
  }
  const shorter = openFileBody({ file, head }, whole.length + 100, null);
  await expect(shorter).rejects.toThrow(/expected at least \d+ bytes/);
});
