import { CathedralError } from '../../errors.ts';
import { slotTime } from '../events/slot.ts';
import type { Leaf, LedgerPosition } from '../log/leaf.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import type { Verifier } from '../notes/note.ts';
import type { SnapshotFile } from './directory.ts';
import { EventReader } from './event-reader.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { decompress } from './read-lines.ts';

/** The end of a verified snapshot, and its signed checkpoint. */
export interface SnapshotEnd extends LedgerPosition {
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
export function readSnapshot(
  file: SnapshotFile,
  position: LedgerPosition,
  verifiers: readonly Verifier[],
): AsyncGenerator<Leaf[], SnapshotEnd> {
  return readBatches(file, position, verifiers, (reader, chunk) => {
    const leaves = reader.push(chunk);
    return leaves.length > 0 ? leaves : null;
  });
}

/** As `readSnapshot`, with batches of another form: `push` gives the reader a chunk and returns its batch, null if no line ends in it. */
export async function* readBatches<Batch>(
  file: SnapshotFile,
  position: LedgerPosition,
  verifiers: readonly Verifier[],
  push: (reader: EventReader, chunk: Buffer) => Batch | null,
): AsyncGenerator<Batch, SnapshotEnd> {
  const events = `snapshots/${file.id}.ndjson.zst`;
  assertLater(file.id, position, events);
  const { checkpoint, note } = readCheckpoint(file, verifiers);
  if (checkpoint.size < position.size) {
    throw sizeFault(file, `a size of at least ${position.size}`, checkpoint.size);
  }
  const reader = new EventReader(position, (line) => `${events}:${line}`);
  for await (const chunk of decompress(file.events, events)) {
    const batch = push(reader, chunk);
    if (reader.size > checkpoint.size)
      throw sizeFault(file, `the ${reader.size} events read`, checkpoint.size);
    if (batch !== null) yield batch;
  }
  reader.end();
  assertSigned(file, reader, checkpoint);
  return { ...reader.position(file.id), checkpoint, note };
}

/** Throws ledger_order or ledger_root unless the checkpoint is that of the events read. */
export function assertSigned(
  file: SnapshotFile,
  read: { size: number; root(): string },
  { size, root }: Checkpoint,
): void {
  if (read.size !== size) throw sizeFault(file, `the ${read.size} events read`, size);
  if (read.root() === root) return;
  throw new CathedralError('ledger_root', {
    place: `snapshots/${file.id}.checkpoint`,
    expected: `root ${read.root()} of the ${read.size} events read`,
    found: `root ${root}`,
  });
}

function assertLater(id: string, position: LedgerPosition, place: string): void {
  slotTime(id);
  if (position.snapshot === null || id > position.snapshot) return;
  throw new CathedralError('ledger_order', {
    place,
    expected: `a slot after ${position.snapshot}`,
    found: id,
  });
}

function sizeFault(file: SnapshotFile, expected: string, size: number): CathedralError {
  const place = `snapshots/${file.id}.checkpoint`;
  return new CathedralError('ledger_order', { place, expected, found: `a signed size of ${size}` });
}
