/** All tiles over so many entries, or bare SHA-256 of the entries' bytes: `log-hash.ts tree|bare COUNT`. */
import { createHash } from 'node:crypto';
import { EMPTY_TREE, TreeBuilder } from '../../../pipeline/ledger/log/tree-builder.ts';
import { report } from '../child.ts';
import { syntheticLines } from '../synthetic-log.ts';

const [, , mode, count] = process.argv;
const lines = [...syntheticLines(Number(count))];

await report(async () => {
  if (mode === 'bare') createHash('sha256').update(Buffer.concat(lines)).digest();
  else {
    const builder = new TreeBuilder(EMPTY_TREE);
    for (const line of lines) builder.append(line);
    builder.partial();
  }
});
