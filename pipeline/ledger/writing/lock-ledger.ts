import { type Lock, type LockOptions, takeLock } from '../../disk/lock.ts';
import { assertOwner } from '../../disk/owner.ts';
import { realOf } from '../../disk/real-path.ts';
import { unwritable } from './head-and-snapshot-files.ts';

/**
 * The folder of a ledger's lock, `LEDGER.lock`: beside the ledger, because a ledger's folder holds nothing else. Every spelling of a
 * path, and every link to it, leads to the same lock.
 */
export function lockOf(ledger: string): string {
  return `${realOf(ledger)}.lock`;
}

/**
 * Takes the lock that every writer of a ledger holds while it writes. Throws locked, with the name of the writer that holds it,
 * `ledger_unwritable` or `disk_full`.
 */
export async function lockLedger(ledger: string, options: LockOptions): Promise<Lock> {
  // The lock stands beside the ledger, perhaps in a folder of root.
  assertOwner(ledger);
  return takeLock(lockOf(ledger), options).catch((cause) => {
    throw unwritable(ledger, cause);
  });
}
