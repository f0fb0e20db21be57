import { CathedralError, errorOf } from '../../errors.ts';
import { counted } from '../../words/number.ts';
import { slotTime } from '../events/slot.ts';
import type { LedgerPosition, ReadLeaf } from '../log/leaf.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import type { Verifier } from '../notes/note.ts';
import type { SnapshotFile } from './directory.ts';
import { EventReader } from './event-reader.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { readLines } from './read-lines.ts';

const disorder = errorOf('ledger_order');

/** The end of a verified snapshot, and its signed checkpoint. */
export interface SnapshotEnd {
  position: LedgerPosition;
  checkpoint: Checkpoint;
  /** The checkpoint's signed note. */
  note: string;
}

/**
 * Reads the snapshot that follows `position`. Yields its events in batches of up to a few thousand, each line validated by itself and
 * against its predecessor, and returns the new position if size and root match the signed checkpoint. Publish nothing that it yielded
 * before it has returned: it may throw at any time
 * `ledger_unreadable`, `ledger_corrupt`, `ledger_signature`, `ledger_root`, `ledger_order` or `ledger_schema`.
 */
export async function* readSnapshot(
  file: SnapshotFile,
  position: LedgerPosition,
  verifiers: readonly Verifier[],
): AsyncGenerator<ReadLeaf[], SnapshotEnd> {
  assertLater(file.id, position, placeOf(file));
  const { checkpoint, note } = readCheckpoint(file, verifiers);
  if (checkpoint.size < position.size) {
    throw sizeFault(file, `a size of at least ${position.size}`, checkpoint.size);
  }
  const place = placeOf(file);
  const reader = new EventReader(position, (line) => `${place}:${line}`);
  for await (const lines of readLines(file)) {
    const leaves = reader.read(lines);
    if (reader.size > checkpoint.size) break;
    yield leaves;
  }
  assertSigned(file, reader, checkpoint);
  return { position: reader.position(file.id), checkpoint, note };
}

/** Verified events of a snapshot, or its end once all of them are verified. */
export type SnapshotPart = { leaves: ReadLeaf[]; end?: never } | { leaves?: never; end: SnapshotEnd };

/** Reads snapshots in order, the first one after `position`: batches of events, and after those of each snapshot its end. Throws as `readSnapshot`. */
export async function* readSnapshots(
  files: readonly SnapshotFile[],
  position: LedgerPosition,
  verifiers: readonly Verifier[],
): AsyncGenerator<SnapshotPart> {
  let before = position;
  for (const file of files) {
    const batches = readSnapshot(file, before, verifiers);
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) yield { leaves: next.value };
    yield { end: next.value };
    before = next.value.position;
  }
}

function placeOf({ id }: SnapshotFile): string {
  return `snapshots/${id}.ndjson.zst`;
}

/** Throws ledger_order or ledger_root unless the checkpoint is that of the events read. */
function assertSigned(
  file: SnapshotFile,
  read: { size: number; root(): string },
  { size, root }: Checkpoint,
): void {
  if (read.size !== size) throw sizeFault(file, `the ${counted(read.size, 'event')} read`, size);
  if (read.root() === root) return;
  throw new CathedralError('ledger_root', {
    place: `snapshots/${file.id}.checkpoint`,
    expected: `root ${read.root()} of the ${counted(read.size, 'event')} read`,
    found: `root ${root}`,
  });
}

function assertLater(id: string, position: LedgerPosition, place: string): void {
  slotTime(id);
  if (position.snapshot === null || id > position.snapshot) return;
  throw disorder(place, `a slot after ${position.snapshot}`, id);
}

function sizeFault(file: SnapshotFile, expected: string, size: number): CathedralError {
  const place = `snapshots/${file.id}.checkpoint`;
  return new CathedralError('ledger_order', { place, expected, found: `a signed size of ${size}` });
}
