import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import { parseCheckpoint } from '../checkpoint.ts';
import { openDirectory, snapshotFile } from '../directory.ts';
import type { LedgerEvent } from '../event.ts';
import type { LedgerPosition } from '../leaf.ts';
import { CompactRange } from '../merkle.ts';
import type { Verifier } from '../note.ts';
import { openNote } from '../open-note.ts';
import { readSnapshot } from '../read-snapshot.ts';
import { utcTimestamp } from '../timestamp.ts';
import type { Link } from './chain.ts';
import { IMPORT_AGENT } from './convert.ts';
import { readHeadEvents } from './head-events.ts';
import { KnownEvents } from './known-events.ts';
import { Source } from './source.ts';

/** What earlier imports wrote, verified. */
export interface LocalLedger {
  /** Where the last snapshot ends. */
  position: LedgerPosition;
  /** Every imported event, those of the head included. */
  known: KnownEvents;
  /** The events after the last snapshot. */
  head: LedgerEvent[];
}

/** The ledger in `path`, which is made where it is not there; only what its index lacks is read. Close `known` at the end. */
export async function openLocalLedger(path: string, verifiers: readonly Verifier[]): Promise<LocalLedger> {
  mkdirSync(join(path, 'snapshots'), { recursive: true });
  const known = KnownEvents.open(path, (position) => isSealed(path, position, verifiers));
  try {
    const position = await readSealed(path, known, verifiers);
    const head = readHeadEvents(openDirectory(path).head, position.size);
    for (const event of head) addLink(known, event);
    return { position, known, head };
  } catch (error) {
    known.close();
    throw error;
  }
}

/** Adds the snapshots that the index lacks; returns where the last one ends. */
async function readSealed(
  path: string,
  known: KnownEvents,
  verifiers: readonly Verifier[],
): Promise<LedgerPosition> {
  let { position } = known;
  for (const file of await openDirectory(path).snapshots(position.snapshot)) {
    const leaves = readSnapshot(file, position, verifiers);
    let step = await leaves.next();
    for (; !step.done; step = await leaves.next()) {
      for (const { event } of step.value) addLink(known, event);
    }
    const { snapshot, size, range, timestamp } = step.value;
    position = { snapshot, size, range, timestamp };
  }
  return position;
}

/** Whether the ledger has sealed a snapshot that ends at `position`. */
function isSealed(path: string, position: LedgerPosition, verifiers: readonly Verifier[]): boolean {
  if (position.snapshot === null) return position.size === 0;
  const { checkpoint } = snapshotFile(path, position.snapshot);
  const { size, root } = parseCheckpoint(
    openNote(readFileSync(checkpoint), verifiers, checkpoint).text,
    checkpoint,
  );
  return size === position.size && root === CompactRange.resume(position.size, position.range).root();
}

/** Adds nothing for an event that the import itself wrote. */
function addLink(known: KnownEvents, event: LedgerEvent): void {
  const link = linkOf(event);
  if (link) known.add(event.seq, link);
}

function linkOf(event: LedgerEvent): Link | undefined {
  const source = Source.safeParse(event.data.source);
  if (source.success) return { ...source.data, timestamp: utcTimestamp(source.data.timestamp) };
  if (event.agent === IMPORT_AGENT && !Object.hasOwn(event.data, 'source')) return undefined;
  throw new CathedralError('import_failed', {
    place: `event ${event.seq}`,
    expected: 'an imported event, with data.source',
    found: `one of type ${event.type} without: this ledger is another one`,
  });
}
