import { CathedralError } from '../errors.ts';
import { decompress } from './decompress.ts';
import type { SnapshotFile } from './directory.ts';
import { MAX_LINE_BYTES } from './event.ts';

const LINE_END = 0x0a;

/**
 * The lines of a snapshot's events as they stand there, without their line ends, in batches. They are not checked one by
 * one: whoever reads them compares the root of the tree over them with a signed one, which says more and costs less.
 * Throws `ledger_unreadable` or `ledger_corrupt`.
 */
export async function* readLines(file: SnapshotFile): AsyncGenerator<Buffer[]> {
  const place = `snapshots/${file.id}.ndjson.zst`;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of decompress(file.events, place)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    const longest = lines.reduce((most, { length }) => Math.max(most, length), rest.length);
    if (longest > MAX_LINE_BYTES) throw corrupt(place, `lines of at most ${MAX_LINE_BYTES} bytes`, longest);
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) throw corrupt(place, 'a line end at the end', 'none');
}

function corrupt(place: string, expected: string, found: string | number): CathedralError {
  return new CathedralError('ledger_corrupt', { place, expected, found: `${found}` });
}
