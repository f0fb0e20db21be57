import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../disk/durable.ts';
import { LEDGER_START, type LedgerPosition } from '../log/leaf.ts';
import type { Verifier } from '../notes/note.ts';
import type { SnapshotFile } from '../reading/directory.ts';
import { isSealedAt } from '../reading/read-checkpoint.ts';
import { readSnapshots } from '../reading/read-snapshot.ts';
import { lockOf } from './lock-ledger.ts';

/** A `LedgerPosition` that was kept. */
export const Position = z.strictObject({
  snapshot: z.string().nullable(),
  size: z.int().min(0),
  range: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  timestamp: z.string().nullable(),
});

/** Beside the ledger, with its lock. */
const positionPath = (ledger: string) => join(lockOf(ledger), 'sealed.json');

/** Keeps the end of the newest snapshot, so that the next writer need not read the whole ledger. Without it, that writer does. */
export async function keepPosition(ledger: string, position: LedgerPosition): Promise<void> {
  if (position.snapshot === null) return;
  // A failure costs the next writer time, and nothing else.
  await writeFileAtomically(positionPath(ledger), JSON.stringify(position), false).catch(() => undefined);
}

/**
 * The end of the last of a ledger's snapshots with its tree, which the next checkpoint extends. Reads what follows the position that the last
 * writer kept. Throws as `readSnapshot`.
 */
export async function sealedPosition(
  ledger: string,
  files: readonly SnapshotFile[],
  verifiers: readonly Verifier[],
): Promise<LedgerPosition> {
  const kept = await keptPosition(ledger, files, verifiers);
  let position = kept ?? LEDGER_START;
  const rest = files.filter(({ id }) => position.snapshot === null || id > position.snapshot);
  for await (const { end } of readSnapshots(rest, position, verifiers)) if (end) position = end.position;
  if (rest.length > 0) await keepPosition(ledger, position);
  return position;
}

/** The position that the last writer kept, if the ledger has its checkpoint; null otherwise. */
async function keptPosition(
  ledger: string,
  files: readonly SnapshotFile[],
  verifiers: readonly Verifier[],
): Promise<LedgerPosition | null> {
  const text = await readFile(positionPath(ledger), 'utf8').catch(() => '');
  try {
    const position = Position.parse(JSON.parse(text));
    return isSealedAt(files.find(({ id }) => id === position.snapshot)!, position, verifiers)
      ? position
      : null;
  } catch {
    // Missing, damaged or of another ledger. It is derived: the ledger is read instead.
    return null;
  }
}
