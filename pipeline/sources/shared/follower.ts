import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../disk/durable.ts';
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
