import { setImmediate } from 'node:timers/promises';
import { HeadWriter } from '../ledger/append-head.ts';
import { DEMO_ORIGIN, demoSigner } from '../ledger/demo-key.ts';
import { openDirectory } from '../ledger/directory.ts';
import { LEDGER_START, type LedgerPosition } from '../ledger/leaf.ts';
import type { Signer } from '../ledger/note.ts';
import { SnapshotWriter } from '../ledger/write-snapshot.ts';
import { clearSample } from './clear-sample.ts';
import { type SampleSlot, sampleEvents } from './sample-events.ts';
import type { SampleOptions } from './span.ts';

export interface WriteSampleOptions extends SampleOptions {
  /** The ledger's folder: not there, empty, or an older sample, which is replaced. */
  out: string;
  /** Called after each slot with the number of events so far and the time that is reached, Unix ms. */
  onProgress?: (events: number, reached: number) => void;
  /** Stops between two slots, and leaves what is written. */
  signal?: AbortSignal;
}

export interface WrittenSample extends LedgerPosition {
  events: number;
  snapshots: number;
}

/**
 * Writes a sample ledger: a snapshot for each slot that is over before `to`, the rest into the head. The same options
 * give the same bytes. Returns where it ends. Throws the signal's reason where it aborts, `usage` for options that name no ledger and for a folder that
 * holds anything else, or `ledger_unwritable`.
 */
export async function writeSample({
  out,
  onProgress,
  signal,
  ...options
}: WriteSampleOptions): Promise<WrittenSample> {
  const slots = sampleEvents(options);
  // The first slot is made before the old sample goes: wrong options leave it alone.
  let next = slots.next();
  await clearSample(out);
  const signer = demoSigner();
  let position = LEDGER_START;
  let snapshots = 0;
  for (; !next.done; next = slots.next()) {
    const slot = next.value;
    if (slot.isOver) snapshots += 1;
    position = await (slot.isOver
      ? writeSnapshot(out, position, slot, signer)
      : writeHead(out, position, slot));
    onProgress?.(position.size, Date.parse(position.timestamp!));
    // Writing is mostly work for the processor; a signal to the process is noticed in between.
    await setImmediate();
    signal?.throwIfAborted();
  }
  return { ...position, events: position.size, snapshots };
}

async function writeSnapshot(
  out: string,
  position: LedgerPosition,
  { id, events }: SampleSlot,
  signer: Signer,
): Promise<LedgerPosition> {
  const writer = SnapshotWriter.create(out, position, signer, DEMO_ORIGIN, { durable: false });
  for (const event of events) await writer.append(event);
  return writer.seal(id);
}

async function writeHead(
  out: string,
  position: LedgerPosition,
  { events }: SampleSlot,
): Promise<LedgerPosition> {
  const head = await HeadWriter.open(openDirectory(out), position, { durable: false });
  for (const event of events) head.append(event);
  head.close();
  return head.position;
}
