import { readFile } from 'node:fs/promises';
import type { LedgerEvent } from '../../pipeline/ledger/events/event.ts';
import { LEDGER_START, type Leaf } from '../../pipeline/ledger/log/leaf.ts';
import { parseVerifierKey } from '../../pipeline/ledger/notes/note.ts';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import { readHead } from '../../pipeline/ledger/reading/head.ts';
import { readSnapshot } from '../../pipeline/ledger/reading/read-snapshot.ts';

export interface Verified {
  /** All events, including those of the head. */
  events: LedgerEvent[];
  snapshots: { id: string; size: number }[];
  /** Number of events in the head. */
  head: number;
}

/** Reads a ledger and verifies every signature, root, line and time with the published key. */
export async function readVerified(path: string): Promise<Verified> {
  const key = parseVerifierKey(await readFile('data/keys/ledger.vkey', 'utf8'));
  const directory = openDirectory(path);
  const found: Verified = { events: [], snapshots: [], head: 0 };
  const drain = async <T>(batches: AsyncGenerator<Leaf[], T>): Promise<T> => {
    for (;;) {
      const batch = await batches.next();
      if (batch.done) return batch.value;
      found.events.push(...batch.value.map(({ event }) => event));
    }
  };
  let position = LEDGER_START;
  for (const file of await directory.snapshots(null)) {
    ({ position } = await drain(readSnapshot(file, position, [key])));
    found.snapshots.push({ id: file.id, size: position.size });
  }
  await drain(readHead(directory, position));
  found.head = found.events.length - position.size;
  return found;
}
