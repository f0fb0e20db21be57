import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { lockOf } from '../../ledger/writing/lock-ledger.ts';

const Original = z.object({ origin: z.string(), kind: z.enum(['replica', 'import']) });
/** The shared ledger that a folder is a copy of. `import`: this machine also imports a source into the folder. */
type Original = z.output<typeof Original>;

/** What a ledger's folder is a copy of; null if it is written by its owner. */
export function originalOf(folder: string): Original | null {
  const path = markOf(folder);
  return existsSync(path) ? Original.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

export async function markCopy(folder: string, original: Original): Promise<void> {
  const known = originalOf(folder);
  if (known?.origin === original.origin && known.kind === original.kind) return;
  await writeFileAtomically(markOf(folder), JSON.stringify(original), true);
}

/** Beside the ledger, whose folder holds nothing else. */
function markOf(folder: string): string {
  return join(lockOf(folder), 'follows.json');
}

/** Throws config_invalid for a folder that only takes what other machines share. */
export function assertNoReplica(folder: string): void {
  if (originalOf(folder)?.kind !== 'replica') return;
  throw new CathedralError('config_invalid', {
    place: '--ledger',
    expected: 'a ledger in a folder that is written here',
    found: `${folder}, a replica of a ledger that another machine writes and shares`,
  });
}

/** Throws config_invalid where an import would not see what other machines have imported. */
export function assertNotShared(folder: string): void {
  if (originalOf(folder) === null) return;
  throw new CathedralError('config_invalid', {
    place: 'CATHEDRAL_STORE, CATHEDRAL_RELEASES',
    expected: `where the ledger in ${folder} is shared with other machines`,
    found: 'one or none of them',
  });
}
