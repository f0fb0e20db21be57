import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHeld } from '../../pipeline/verify/reader.ts';
import { temporaryFolder } from '../release/temporary-folder.ts';

const NOTE = `a.example/log\n0\n${'A'.repeat(43)}=\n\n— a.example/log ${'A'.repeat(8)}\n`;

test.each([
  ['as it was published', NOTE],
  ['with a byte order mark and the line ends of Windows', `\ufeff${NOTE.replaceAll('\n', '\r\n')}`],
])('a checkpoint that was kept %s is the same', async (_, kept) => {
  const place = join(await temporaryFolder(), 'checkpoint');
  await writeFile(place, kept);
  expect(await readHeld(place)).toEqual({ note: NOTE, place });
});
