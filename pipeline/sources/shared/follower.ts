import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../disk/durable.ts';
import { CathedralError } from '../../errors.ts';
import { lockOf } from '../../ledger/writing/lock-ledger.ts';

const Follower = z.object({ origin: z.string(), kind: z.enum(['replica', 'import']) });
/** Says that a folder follows a shared ledger. */
type Follower = z.output<typeof Follower>;

/** What a ledger's folder is a copy of; null if it is written by its owner. */
export function followerOf(folder: string): Follower | null {
  const path = followerFile(folder);
  return existsSync(path) ? Follower.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

export async function markFollower(folder: string, follower: Follower): Promise<void> {
  const known = followerOf(folder);
  if (known?.origin === follower.origin && known.kind === follower.kind) return;
  await writeFileAtomically(followerFile(folder), JSON.stringify(follower), true);
}

/** Beside the ledger, whose folder holds nothing else. */
function followerFile(folder: string): string {
  return join(lockOf(folder), 'follows.json');
}

/** Throws config_invalid for a folder that only takes what other machines share. */
export function assertNoReplica(folder: string): void {
  if (followerOf(folder)?.kind !== 'replica') return;
  throw new CathedralError('config_invalid', {
    place: '--ledger',
    expected: 'a ledger in a folder that is written here',
    found: `${folder}, a replica of a ledger that another machine writes and shares`,
  });
}

/** Throws config_invalid where an import would not see what other machines have imported. */
export function assertNotShared(folder: string): void {
  if (followerOf(folder) === null) return;
  throw new CathedralError('config_invalid', {
    place: 'CATHEDRAL_STORE, CATHEDRAL_RELEASES',
    expected: `where the ledger in ${folder} is shared with other machines`,
    found: 'one or none of them',
  });
}
