/** Verifies ledger snapshots ahead of the thread that folds them. */
import { parentPort, workerData } from 'node:worker_threads';
import { type SnapshotTask, sendSnapshots } from './snapshot-channel.ts';

await sendSnapshots(parentPort!, workerData as SnapshotTask);
