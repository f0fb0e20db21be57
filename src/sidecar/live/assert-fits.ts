import { readFile } from 'node:fs/promises';
import { CathedralError } from '../../../pipeline/errors.ts';
import { parseCheckpoint } from '../../../pipeline/ledger/checkpoint.ts';
import { snapshotFile } from '../../../pipeline/ledger/directory.ts';
import type { LedgerPosition } from '../../../pipeline/ledger/leaf.ts';
import { CompactRange } from '../../../pipeline/ledger/merkle.ts';
import type { Verifier } from '../../../pipeline/ledger/note.ts';
import { openNote } from '../../../pipeline/ledger/open-note.ts';

/**
 * A release is gone on from only with the ledger that it was made of: the head is not signed, so it would pass for the head
 * of any ledger. Throws `ledger_unreadable` where the ledger lacks the release's snapshot, and `ledger_root` where it
 * signed something else there; also what reading a checkpoint throws.
 */
export async function assertFits(
  ledger: string,
  { snapshot, size, range }: LedgerPosition,
  verifiers: readonly Verifier[],
): Promise<void> {
  if (snapshot === null) return;
  const place = `snapshots/${snapshot}.checkpoint`;
  const note = await readFile(snapshotFile(ledger, snapshot).checkpoint).catch(
    (cause: NodeJS.ErrnoException) => {
      const fault = { expected: 'the snapshot that the release was made of', found: cause.code ?? 'none' };
      throw new CathedralError('ledger_unreadable', { place, ...fault, cause });
    },
  );
  const signed = parseCheckpoint(openNote(note, verifiers, place).text, place);
  const root = CompactRange.resume(size, range).root();
  if (signed.size === size && signed.root === root) return;
  throw new CathedralError('ledger_root', {
    place,
    expected: `root ${root} of ${size} events, as in the release`,
    found: `root ${signed.root} of ${signed.size}: another ledger`,
  });
}
