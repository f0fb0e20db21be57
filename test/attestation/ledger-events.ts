import { demoSigner } from '../../pipeline/ledger/demo-key.ts';
import { openDirectory } from '../../pipeline/ledger/directory.ts';
import type { LedgerEvent } from '../../pipeline/ledger/event.ts';
import { readHead } from '../../pipeline/ledger/head.ts';
import { LEDGER_START } from '../../pipeline/ledger/leaf.ts';
import { readSnapshot } from '../../pipeline/ledger/read-snapshot.ts';

/** All events of a sample ledger. */
export async function readLedgerEvents(ledger: string): Promise<LedgerEvent[]> {
  const directory = openDirectory(ledger);
  const events: LedgerEvent[] = [];
  let position = LEDGER_START;
  for (const file of await directory.snapshots(null)) {
    const batches = readSnapshot(file, position, [demoSigner().verifier]);
    let batch = await batches.next();
    for (; !batch.done; batch = await batches.next()) events.push(...batch.value.map(({ event }) => event));
    position = batch.value;
  }
  for await (const leaves of readHead(directory, position)) events.push(...leaves.map(({ event }) => event));
  return events;
}
