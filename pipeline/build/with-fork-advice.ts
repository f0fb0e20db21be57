import { existsSync } from 'node:fs';
import { CathedralError, type ErrorCode } from '../errors.ts';
import { snapshotFile } from '../ledger/directory.ts';
import type { LedgerPosition } from '../ledger/leaf.ts';
import { withAdvice } from '../release/disk/with-advice.ts';
import { FORK_ADVICE } from '../release/log/assert-same-snapshot.ts';

/** What a ledger that goes on from elsewhere looks like to whoever reads on from where a release ended. */
const CODES: ReadonlySet<ErrorCode> = new Set(['ledger_order', 'ledger_root']);

/**
 * A failure to go on from a position, with what is wrong: the ledger is another one; or, where it still has the snapshot that was
 * published, which has been compared, what comes after that is missing or damaged. Any other failure as it is.
 */
export function withForkAdvice(cause: unknown, ledger: string, { size, snapshot }: LedgerPosition): unknown {
  if (size === 0 || !(cause instanceof CathedralError) || !CODES.has(cause.code)) return cause;
  if (snapshot !== null && existsSync(snapshotFile(ledger, snapshot).checkpoint))
    return withAdvice(
      cause,
      `the ledger has what was published, up to ${snapshot}; a snapshot after that is missing or damaged: bring it back from the ledger’s own back-up`,
    );
  return withAdvice(
    cause,
    `this ledger does not go on from the ${size} events up to ${snapshot} that were published, or its copy is damaged; ${FORK_ADVICE}`,
  );
}
