import { CathedralError, type ErrorCode } from '../errors.ts';
import type { LedgerPosition } from '../ledger/leaf.ts';
import { FORK_ADVICE } from '../publish/log/assert-same-snapshot.ts';
import { withAdvice } from '../publish/with-advice.ts';

/** What a ledger that goes on from elsewhere looks like to whoever reads on from where a release ended. */
const CODES: ReadonlySet<ErrorCode> = new Set(['ledger_order', 'ledger_root']);

/** A failure to go on from a position, with what to do where the ledger is another one; any other failure as it is. */
export function withForkAdvice(cause: unknown, { size, snapshot }: LedgerPosition): unknown {
  if (size === 0 || !(cause instanceof CathedralError) || !CODES.has(cause.code)) return cause;
  return withAdvice(
    cause,
    `this ledger does not go on from the ${size} events up to ${snapshot} that were published, or its copy is damaged; ${FORK_ADVICE}`,
  );
}
