import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { asDiskErrors, makeFolder, writeFileAtomically } from '../disk/durable.ts';
import { assertOwner } from '../disk/owner.ts';
import { CathedralError } from '../errors.ts';
import { assertEvent } from '../ledger/events/event-check.ts';
import { formatEventLine } from '../ledger/events/event-line.ts';
import { LEDGER_START, type LedgerPosition } from '../ledger/log/leaf.ts';
import { CompactRange, leafHash } from '../ledger/log/merkle.ts';
import type { Signer } from '../ledger/notes/note.ts';
import { openDirectory } from '../ledger/reading/directory.ts';
import { DEMO_ORIGIN, demoSigner } from '../ledger/writing/demo-key.ts';
import { EventLines, SnapshotWriter } from '../ledger/writing/head-and-snapshot-files.ts';
import { type SampleSlot, sampleEvents } from './sample-events.ts';
import type { SampleOptions } from './span.ts';

export interface WriteSampleOptions extends SampleOptions {
  /** The ledger's folder: missing, empty, or an older demo ledger, which is replaced. */
  out: string;
  /** Called after each slot with the number of events so far and the time of the last one, Unix ms. */
  onProgress?: (events: number, reached: number) => void;
  /** Stops between two slots and leaves the slots written so far. */
  signal?: AbortSignal;
}

export interface WrittenSample extends LedgerPosition {
  events: number;
  snapshots: number;
}

const LEDGER_ENTRIES = ['snapshots', 'head.ndjson', 'head.ndjson.tmp'];
const CHECKPOINT = '.checkpoint';

/**
 * Writes a demo ledger: one snapshot for each slot that ends by `to`, and the remaining events into the head. Equal
 * options give equal bytes. Returns the end of the ledger. Throws `usage` for invalid options and for a folder with other
 * content, `ledger_unwritable`, or the signal's reason.
 */
export async function writeSample({
  out,
  onProgress,
  signal,
  ...options
}: WriteSampleOptions): Promise<WrittenSample> {
  const slots = sampleEvents(options);
  // Invalid options throw here, before the old sample is deleted.
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
    // Generating events blocks the event loop; yield, so that process signals are handled.
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
  const writer = new SnapshotWriter(out, position, [signer], { durable: false });
  for (const event of events) await writer.append(event);
  return writer.seal(id);
}

async function writeHead(
  out: string,
  position: LedgerPosition,
  { events }: SampleSlot,
): Promise<LedgerPosition> {
  const lines = new EventLines(position);
  const tree = CompactRange.resume(position.size, position.range);
  for (const event of events) {
    assertEvent(event, lines.place);
    tree.append(leafHash(lines.add(event, formatEventLine(event))));
  }
  await writeFileAtomically(openDirectory(out).head, lines.take(), false);
  return { ...lines.end, snapshot: position.snapshot, range: tree.hashes() };
}

/**
 * Empties `out`. Throws `usage` if it contains anything but a demo ledger, because nothing else could be generated
 * again.
 */
async function clearSample(out: string): Promise<void> {
  assertOwner(out);
  const entries = await entriesOf(out);
  const foreign = entries.find((name) => !LEDGER_ENTRIES.includes(name));
  if (foreign !== undefined) throw notASample(out, foreign);
  if (entries.length > 0) await assertSample(out);
  for (const name of entries) await rm(join(out, name), { recursive: true });
  await asDiskErrors(out, () => makeFolder(join(out, 'snapshots')));
}

async function entriesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new CathedralError('usage', { place: folder, expected: 'a folder', found: `${cause.code}`, cause });
  });
}

async function assertSample(out: string): Promise<void> {
  const folder = join(out, 'snapshots');
  const checkpoints = (await entriesOf(folder)).filter((name) => name.endsWith(CHECKPOINT));
  const newest = checkpoints.sort().at(-1);
  if (newest === undefined) return assertNoEvents(out);
  const origin = (await readFile(join(folder, newest), 'utf8')).split('\n', 1)[0];
  if (origin !== DEMO_ORIGIN) throw notASample(out, `a ledger of origin ${origin}`);
}

/** Without a checkpoint the origin is unknown, so only the empty files of a killed run may be deleted. */
async function assertNoEvents(out: string): Promise<void> {
  const head = await readFile(join(out, 'head.ndjson'), 'utf8').catch(() => '');
  if (head !== '') throw notASample(out, 'a head without snapshots');
}

function notASample(place: string, found: string): CathedralError {
  return new CathedralError('usage', {
    place,
    expected: 'an empty folder, or a demo ledger to replace',
    found,
  });
}
