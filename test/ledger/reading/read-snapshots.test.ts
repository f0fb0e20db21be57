import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nextSlotId } from '../../../pipeline/ledger/events/slot.ts';
import { LEDGER_START, type Leaf } from '../../../pipeline/ledger/log/leaf.ts';
import { openDirectory, snapshotFile } from '../../../pipeline/ledger/reading/directory.ts';
import { readSnapshots } from '../../../pipeline/ledger/reading/read-snapshots.ts';
import { sampleEvents } from '../events/sample-events.ts';
import { FIRST_SLOT, signer, temporaryFolder, writeLedger } from '../test-ledger.ts';
import { faultOf } from './signed-snapshot.ts';

// How single snapshots pass from thread to thread is tested wherever a test reads one: see `readOne`.

const IN_THREAD = { threadFromBytes: 0 };

async function readAll(folder: string, options = {}): Promise<{ leaves: Leaf[]; ends: string[] }> {
  const leaves: Leaf[] = [];
  const ends: string[] = [];
  const files = await openDirectory(folder).snapshots(null);
  const task = { files, position: LEDGER_START, verifiers: [signer.verifier] };
  for await (const part of readSnapshots(task, options)) {
    if (part.end) ends.push(part.end.snapshot!);
    else leaves.push(...part.leaves);
  }
  return { leaves, ends };
}

describe('a long ledger', () => {
  test('is read by a thread as it is read without one', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, ...Array.from({ length: 20 }, (_, index) => index * 40));
    const read = await readAll(folder, IN_THREAD);
    expect(read).toEqual(await readAll(folder));
    expect(read.leaves.map(({ event }) => event)).toEqual(sampleEvents(7600));
  });

  test('is refused with the same error, after the events before it', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, 30, 20, 10);
    writeFileSync(snapshotFile(folder, nextSlotId(FIRST_SLOT)).events, 'damaged');
    const inThread = await faultOf(readAll(folder, IN_THREAD));
    expect({ ...inThread }).toEqual({ ...(await faultOf(readAll(folder))) });
    expect(inThread.place).toBe(`snapshots/${nextSlotId(FIRST_SLOT)}.ndjson.zst`);
  });

  test('need not be read to its end', async () => {
    const folder = temporaryFolder();
    await writeLedger(folder, ...Array<number>(60).fill(3));
    const files = await openDirectory(folder).snapshots(null);
    const task = { files, position: LEDGER_START, verifiers: [signer.verifier] };
    // Other tests in this process may have threads, too.
    const threads = () => process.getActiveResourcesInfo().filter((kind) => /worker|messageport/i.test(kind));
    const before = threads().length;
    for await (const part of readSnapshots(task, IN_THREAD)) if (part.end) break;
    expect(threads().length).toBeLessThanOrEqual(before);
  });
});
