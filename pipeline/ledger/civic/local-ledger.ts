import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CathedralError } from '../../errors.ts';
import { openDirectory } from '../directory.ts';
import type { LedgerEvent } from '../event.ts';
import { LEDGER_START, type LedgerPosition } from '../leaf.ts';
import type { Verifier } from '../note.ts';
import { readSnapshot } from '../read-snapshot.ts';
import type { Link } from './chain.ts';
import { IMPORT_AGENT } from './convert.ts';
import { readHeadEvents } from './head-events.ts';
import { type ImportState, readImportState } from './import-state.ts';
import { Source } from './source.ts';
import { utcTimestamp } from './utc-timestamp.ts';

/** What earlier imports wrote, verified. */
export interface LocalLedger {
  /** Where the last snapshot ends. */
  position: LedgerPosition;
  /** The first event imported, where `sealed` does not begin with it. */
  first: Link | undefined;
  /** Imported events that are sealed, in order: all of them, or the newest. */
  sealed: Link[];
  /** The events after the last snapshot. */
  head: LedgerEvent[];
}

/** The newest of the ledger in `path`, which is made where it is not there; as much as the import's state leaves to read. */
export async function readLocalLedger(path: string, verifiers: readonly Verifier[]): Promise<LocalLedger> {
  mkdirSync(join(path, 'snapshots'), { recursive: true });
  return await readFrom(path, verifiers, readImportState(path, verifiers));
}

/** All of the ledger in `path`. */
export async function readWholeLedger(path: string, verifiers: readonly Verifier[]): Promise<LocalLedger> {
  return await readFrom(path, verifiers, undefined);
}

async function readFrom(
  path: string,
  verifiers: readonly Verifier[],
  state: ImportState | undefined,
): Promise<LocalLedger> {
  const ledger = openDirectory(path);
  let position: LedgerPosition = state?.position ?? LEDGER_START;
  const sealed: Link[] = [...(state?.links ?? [])];
  for (const file of await ledger.snapshots(position.snapshot)) {
    const leaves = readSnapshot(file, position, verifiers);
    let step = await leaves.next();
    for (; !step.done; step = await leaves.next()) {
      for (const { event } of step.value) sealed.push(...linksOf(event));
    }
    const { snapshot, size, range, timestamp } = step.value;
    position = { snapshot, size, range, timestamp };
  }
  return { position, first: state?.first, sealed, head: readHeadEvents(ledger.head, position.size) };
}

/** One link, or none for an event that the import itself wrote. */
export function linksOf(event: LedgerEvent): Link[] {
  const source = Source.safeParse(event.data.source);
  if (source.success) return [{ ...source.data, timestamp: utcTimestamp(source.data.timestamp) }];
  if (event.agent === IMPORT_AGENT && !Object.hasOwn(event.data, 'source')) return [];
  throw new CathedralError('import_failed', {
    place: `event ${event.seq}`,
    expected: 'an imported event, with data.source',
    found: `one of type ${event.type} without: this ledger is another one`,
  });
}
