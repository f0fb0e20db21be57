import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CathedralError } from '../../errors.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { IMPORT_AGENT } from '../../ledger/events/import-alert.ts';
import { utcTimestamp } from '../../ledger/events/timestamp.ts';
import type { LedgerPosition } from '../../ledger/log/leaf.ts';
import { CompactRange } from '../../ledger/log/merkle.ts';
import { parseCheckpoint } from '../../ledger/notes/checkpoint.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { openNote } from '../../ledger/notes/open-note.ts';
import { openDirectory, snapshotFile } from '../../ledger/reading/directory.ts';
import { readHead } from '../../ledger/reading/head.ts';
import { readSnapshot } from '../../ledger/reading/read-snapshot.ts';
import type { Link } from './chain.ts';
import { KnownEvents, RemoteChange } from './known-events.ts';
import { Source } from './source.ts';

/** The verified result of earlier imports. */
export interface LocalLedger {
  /** End of the last snapshot. */
  position: LedgerPosition;
  /** Every imported event, including those of the head. */
  known: KnownEvents;
}

/** Opens the ledger in `path` and reads only what its index lacks. The caller closes `known`. */
export async function openLocalLedger(path: string, verifiers: readonly Verifier[]): Promise<LocalLedger> {
  const known = KnownEvents.open(path, (position) => isSealedAt(path, position, verifiers));
  try {
    const position = await readSealed(path, known, verifiers);
    for await (const leaves of readHead(openDirectory(path), position))
      for (const { event } of leaves) addLink(known, event);
    return { position, known };
  } catch (error) {
    known.close();
    throw error;
  }
}

/** Indexes the missing snapshots and returns the end of the last one. */
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
function isSealedAt(path: string, position: LedgerPosition, verifiers: readonly Verifier[]): boolean {
  if (position.snapshot === null) return position.size === 0;
  const { checkpoint } = snapshotFile(path, position.snapshot);
  const { size, root } = parseCheckpoint(
    openNote(readFileSync(checkpoint), verifiers, checkpoint).text,
    checkpoint,
  );
  return size === position.size && root === CompactRange.resume(position.size, position.range).root();
}

/** Of the events that the import itself added, only the changes that they list matter. */
function addLink(known: KnownEvents, event: LedgerEvent): void {
  const link = linkOf(event);
  if (link) known.add(event.seq, link);
  else for (const change of Changes.parse(event.data.changes ?? [])) known.change(change, event.seq);
}

const Changes = z.array(RemoteChange);

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
