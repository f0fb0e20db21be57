import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../config/project.ts';
import { readSnapshot } from './read-snapshot.ts';
import { receiveSnapshots, type SnapshotPart, type SnapshotTask } from './snapshot-channel.ts';

/**
 * Compressed size from which a thread verifies the snapshots: some hundred of them, or eighty thousand events. Below it, starting the
 * thread would cost more than it saves.
 */
const THREAD_FROM_BYTES = 4 * 1024 * 1024;

/**
 * Reads snapshots in order. Yields verified events in batches, and after those of each snapshot its end. A long ledger is verified in
 * a thread ahead of the caller; the result and the errors, those of `readSnapshot`, are the same.
 */
export function readSnapshots(
  task: SnapshotTask,
  { threadFromBytes = THREAD_FROM_BYTES } = {},
): AsyncGenerator<SnapshotPart> {
  return isLarge(task, threadFromBytes) ? readInThread(task) : readHere(task);
}

async function* readHere({ files, verifiers, ...task }: SnapshotTask): AsyncGenerator<SnapshotPart> {
  let { position } = task;
  for (const file of files) {
    const batches = readSnapshot(file, position, verifiers);
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) yield { leaves: next.value };
    yield { end: next.value };
    const { checkpoint: _, note: __, ...end } = next.value;
    position = end;
  }
}

async function* readInThread(task: SnapshotTask): AsyncGenerator<SnapshotPart> {
  const thread = new Worker(moduleUrl('pipeline/ledger/reading/snapshot-thread.ts'), { workerData: task });
  try {
    yield* receiveSnapshots(thread);
  } finally {
    await thread.terminate();
  }
}

function isLarge({ files }: SnapshotTask, limit: number): boolean {
  let bytes = 0;
  for (const { events } of files) {
    // Who reads a file that is gone reports it.
    bytes += statSync(events, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes >= limit) return true;
  }
  return false;
}
