import type { Checkpoint } from '../../ledger/checkpoint.ts';
import type { Verifier } from '../../ledger/note.ts';
import { assertBeginsWith } from '../log-head.ts';
import { forked } from '../rules.ts';
import type { AuditedLog } from './open-audited-log.ts';
import { openCheckpoint } from './open-checkpoint.ts';

/** A checkpoint that somebody kept. */
export interface HeldCheckpoint {
  /** As it was signed. */
  note: string;
  /** For messages. */
  place: string;
}

/**
 * A log goes on from an earlier checkpoint of it, by its own keys: nothing of that was removed or changed since. Gives that
 * checkpoint. Throws mirror_rollback, mirror_forked, and ledger_signature or ledger_corrupt for one that is not of these keys.
 */
export async function assertGoesOn(
  { checkpoint, reader }: AuditedLog,
  { note, place }: HeldCheckpoint,
  verifiers: readonly Verifier[],
): Promise<Checkpoint> {
  const { checkpoint: held } = await openCheckpoint(note, verifiers, place);
  if (held.origin !== checkpoint.origin) throw forked(place, `the log ${held.origin}`, checkpoint.origin);
  await assertBeginsWith(reader, held, place);
  return held;
}
