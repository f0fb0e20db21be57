import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { inParallel } from '../../disk/in-parallel.ts';
import { CathedralError } from '../../errors.ts';
import type { LedgerPosition } from '../../ledger/log/leaf.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import type { SnapshotFile } from '../../ledger/reading/directory.ts';
import { readSnapshot } from '../../ledger/reading/read-snapshot.ts';
import { waitingFile } from '../../ledger/writing/copied-snapshots.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import {
  contradiction,
  type SharedFile,
  type SharedLedger,
  type SharedSnapshot,
  snapshotKeys,
} from './shared-ledger.ts';

/** Snapshots with two objects each, which are fetched at once. */
const PARALLEL_SNAPSHOTS = 8;

interface FetchOptions {
  folder: string;
  objects: Pick<ObjectStore, 'name' | 'get'>;
  durable?: boolean;
}

/** Fetches the files of each snapshot beside their places. Never rejects. */
export async function fetchSnapshots(
  snapshots: readonly SharedSnapshot[],
  options: FetchOptions,
): Promise<PromiseSettledResult<SnapshotFile>[]> {
  const fetched: PromiseSettledResult<SnapshotFile>[] = [];
  await inParallel(snapshots.entries(), PARALLEL_SNAPSHOTS, async ([at, snapshot]) => {
    const waiting = waitingFile(options.folder, snapshot.id);
    const keys = snapshotKeys(snapshot);
    const [events, checkpoint] = await Promise.allSettled([
      download(keys.events, snapshot.events, waiting.events, options),
      download(keys.checkpoint, snapshot.checkpoint, waiting.checkpoint, options),
    ]);
    const failed = [events, checkpoint].find(({ status }) => status === 'rejected');
    fetched[at] = (failed as PromiseRejectedResult) ?? { status: 'fulfilled', value: waiting };
  });
  return fetched;
}

async function download(
  key: string,
  { sha256, bytes }: SharedFile,
  path: string,
  { objects, durable = true }: FetchOptions,
): Promise<void> {
  const wrong = (found: string) =>
    new CathedralError('store_failed', {
      place: `${objects.name}/${key}`,
      expected: `${bytes} bytes with SHA-256 ${sha256}`,
      found,
    });
  const found = await objects.get(key);
  if (found === null || found === 'unchanged') throw wrong('no object');
  const hash = createHash('sha256');
  let length = 0;
  const file = await open(path, 'w');
  try {
    for await (const chunk of found.body) {
      length += chunk.length;
      if (length > bytes) throw wrong('more bytes');
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    if (durable) await file.sync();
  } finally {
    await file.close();
  }
  const digest = hash.digest('hex');
  if (length !== bytes || digest !== sha256) throw wrong(`${length} bytes with SHA-256 ${digest}`);
}

/** The end of a snapshot. Throws unless a known key signed it, it is what the database says, and the events of `own` are the same in it. */
export async function verifySnapshot(
  file: SnapshotFile,
  { id, position, root }: SharedSnapshot,
  before: LedgerPosition,
  own: ReadonlyMap<number, string>,
  { shared, verifiers }: { shared: Pick<SharedLedger, 'name'>; verifiers: readonly Verifier[] },
): Promise<LedgerPosition> {
  const leaves = readSnapshot(file, before, verifiers);
  let contradicting: { seq: number; known: string } | null = null;
  let step = await leaves.next();
  for (; !step.done; step = await leaves.next())
    for (const { event, hash } of step.value) {
      const known = own.get(event.seq);
      if (known !== undefined && known !== hash) contradicting ??= { seq: event.seq, known };
    }
  const { size, range, timestamp, checkpoint } = step.value;
  if (size !== position.size || checkpoint.root !== root)
    throw new CathedralError('store_failed', {
      place: `${shared.name}, ledger_snapshots ${id}`,
      expected: `root ${checkpoint.root} of ${size} events, as the checkpoint says`,
      found: `root ${root} of ${position.size}`,
    });
  // Only what is verified can contradict what this machine has.
  if (contradicting) {
    const { seq, known } = contradicting;
    throw contradiction(`head.ndjson, event ${seq}`, 'the event that was shared', known);
  }
  return { snapshot: id, size, range, timestamp };
}
