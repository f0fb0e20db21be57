/**
 * The bare floor of reading a ledger: decompress, split, JSON.parse each line, two SHA-256 each (a leaf and a node of
 * the Merkle tree), and nothing else.
 */
import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createZstdDecompress } from 'node:zlib';
import { report } from '../child.ts';

const folder = join(process.argv[2]!, 'snapshots');

await report(async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.zst')).sort();
  let events = 0;
  for (const file of files) events += await readEvents(join(folder, file));
  console.error(`  floor: ${events} events`);
});

async function readEvents(file: string): Promise<number> {
  let rest: Buffer = Buffer.alloc(0);
  let events = 0;
  for await (const chunk of createReadStream(file).pipe(createZstdDecompress())) {
    const text: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, start)) {
      const line = text.subarray(start, end);
      JSON.parse(line.toString());
      hash('sha256', line, 'buffer');
      hash('sha256', line.subarray(0, 65), 'buffer');
      start = end + 1;
      events += 1;
    }
    rest = text.subarray(start);
  }
  return events;
}
