import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LedgerEvent } from '../../pipeline/ledger/events/event.ts';
import { nextSlotId } from '../../pipeline/ledger/events/slot.ts';
import { LEDGER_START, type Leaf, type LedgerPosition } from '../../pipeline/ledger/log/leaf.ts';
import type { Verifier } from '../../pipeline/ledger/notes/note.ts';
import { openDirectory, type SnapshotFile } from '../../pipeline/ledger/reading/directory.ts';
import {
  readSnapshot,
  readSnapshots,
  type SnapshotEnd,
} from '../../pipeline/ledger/reading/read-snapshot.ts';
import { SnapshotWriter } from '../../pipeline/ledger/writing/head-and-snapshot-files.ts';
import { sampleEvents } from './events/sample-events.ts';
import { ORIGIN, signer } from './test-signer.ts';

export { ORIGIN, signer };
export const FIRST_SLOT = '2025-07-03T06Z';

/** A folder that is removed after the test, with what is beside it, such as a ledger's lock. */
export function temporaryFolder(): string {
  const above = mkdtempSync(join(tmpdir(), 'cathedral-ledger-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  const folder = join(above, 'ledger');
  mkdirSync(folder);
  return folder;
}

export async function writeSnapshot(
  folder: string,
  id: string,
  position: LedgerPosition,
  events: LedgerEvent[],
): Promise<LedgerPosition> {
  const writer = new SnapshotWriter(folder, position, [signer], { durable: false });
  for (const event of events) await writer.append(event);
  return writer.seal(id);
}

/** A ledger with a snapshot of each of these numbers of events, in slots from `FIRST_SLOT` on. */
export async function writeLedger(folder: string, ...counts: number[]): Promise<LedgerPosition> {
  let position: LedgerPosition = LEDGER_START;
  let id = FIRST_SLOT;
  for (const count of counts) {
    position = await writeSnapshot(folder, id, position, sampleEvents(count, position.size));
    id = nextSlotId(id);
  }
  return position;
}

/** Reads a snapshot. */
export function readOne(
  file: SnapshotFile,
  position: LedgerPosition,
  verifiers: readonly Verifier[] = [signer.verifier],
): Promise<{ leaves: Leaf[]; end: SnapshotEnd }> {
  return collect(readSnapshot(file, position, verifiers));
}

/** The snapshots after `from`. */
export async function readSealed(
  folder: string,
  from: LedgerPosition = LEDGER_START,
): Promise<{ leaves: Leaf[]; end: LedgerPosition }> {
  const all: Leaf[] = [];
  let end = from;
  const files = await openDirectory(folder).snapshots(from.snapshot);
  for await (const part of readSnapshots(files, from, [signer.verifier])) {
    if (part.end) end = part.end.position;
    else for (const leaf of part.leaves) all.push(leaf);
  }
  return { leaves: all, end };
}

/** All of a ledger from its start, each snapshot as `readOne` reads it. */
export async function readLedger(
  folder: string,
  verifiers: readonly Verifier[] = [signer.verifier],
): Promise<{ leaves: Leaf[]; end: LedgerPosition }> {
  const all: Leaf[] = [];
  let position: LedgerPosition = LEDGER_START;
  for (const file of await openDirectory(folder).snapshots(null)) {
    const { leaves, end } = await readOne(file, position, verifiers);
    all.push(...leaves);
    position = end.position;
  }
  return { leaves: all, end: position };
}

export async function collect<End>(
  batches: AsyncGenerator<Leaf[], End>,
): Promise<{ leaves: Leaf[]; end: End }> {
  const leaves: Leaf[] = [];
  for (;;) {
    const next = await batches.next();
    if (next.done) return { leaves, end: next.value };
    for (const leaf of next.value) leaves.push(leaf);
  }
}
