/** Hashes a file and every file below folders, one after the other: `hash-files.ts FILE [FOLDER …]`. */
import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { report } from '../child.ts';

const [, , file = '', ...folders] = process.argv;

await report(async () => {
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), createHash('sha256'));
  const sum = createHash('sha256');
  for (const folder of folders)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !entry.name.endsWith('.gz'))
        sum.update(readFileSync(join(entry.parentPath, entry.name)));
  sum.digest();
});
