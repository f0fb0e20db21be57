import { CathedralError } from '../../errors.ts';
import { findLeaf } from '../../ledger/log/find-leaf.ts';
import type { Hash } from '../../ledger/log/hash.ts';
import { inclusionProof } from '../../ledger/log/proofs.ts';
import { tilePath } from '../../ledger/log/tile.ts';
import { TileReader } from '../../ledger/log/tile-reader.ts';
import type { TlogProof } from '../../ledger/log/tlog-proof.ts';
import { EMPTY_TREE, type LogFile, TreeBuilder } from '../../ledger/log/tree-builder.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { openDirectory } from '../../ledger/reading/directory.ts';
import { readCheckpoint } from '../../ledger/reading/read-checkpoint.ts';
import { readLines } from '../../ledger/reading/read-lines.ts';
import { isEntries } from '../../release/log/log-folder.ts';
import { counted } from '../../words/number.ts';
import { LOG, type Origin } from '../origin.ts';
import { openSignedLog, type SignedLog } from '../signed-log.ts';

/** Proves from the hash tiles of a published log that it contains the event with this hash. Throws proof_refused, and as `openSignedLog`. */
export async function proveFromLog(
  origin: Origin,
  event: Hash,
  verifiers: readonly Verifier[],
): Promise<TlogProof> {
  return proofOf(event, await openSignedLog(origin, verifiers), origin.placeOf(LOG));
}

/**
 * The same from the tiles of the log that a ledger’s folder would be published as, which are in memory: 32 bytes for each event up to the
 * last snapshot, whose checkpoint must have the same root. Throws proof_refused, ledger_root and what reading a snapshot throws.
 */
export async function proveFromLedger(
  ledger: string,
  event: Hash,
  verifiers: readonly Verifier[],
): Promise<TlogProof> {
  const snapshots = await openDirectory(ledger).snapshots(null);
  const newest = snapshots.at(-1);
  if (!newest) throw missing(event, ledger, 0);
  const { checkpoint, note } = readCheckpoint(newest, verifiers);
  const tree = new TreeBuilder(EMPTY_TREE);
  const tiles = new Map<string, Uint8Array>();
  const keep = (files: readonly LogFile[]) => {
    for (const { path, bytes } of files) if (!isEntries(path)) tiles.set(path, bytes);
  };
  for (const snapshot of snapshots)
    for await (const lines of readLines(snapshot)) for (const line of lines) keep(tree.append(line));
  keep(tree.partial());
  const root = tree.root();
  if (tree.size !== checkpoint.size || root !== checkpoint.root) {
    const place = `snapshots/${newest.id}.checkpoint`;
    const expected = `root ${root} of the ${counted(tree.size, 'event')} read`;
    throw new CathedralError('ledger_root', { place, expected, found: `root ${checkpoint.root}` });
  }
  const reader = await TileReader.open(checkpoint, async (tile) => tiles.get(tilePath(tile))!);
  return proofOf(event, { checkpoint, note, reader }, ledger);
}

async function proofOf(
  event: Hash,
  { checkpoint: { size }, note, reader }: Pick<SignedLog, 'checkpoint' | 'note' | 'reader'>,
  place: string,
): Promise<TlogProof> {
  const index = await findLeaf(reader, event, { from: 0, to: size });
  if (index === null) throw missing(event, place, size);
  return { index, path: await inclusionProof(reader, index), checkpoint: note, extra: null };
}

function missing(event: Hash, place: string, size: number): CathedralError {
  return new CathedralError('proof_refused', {
    place,
    expected: `an event with the hash 0x${event}`,
    found: `none among the ${counted(size, 'event')} of its checkpoint`,
  });
}
