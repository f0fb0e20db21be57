import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../../disk/durable.ts';
import { parseEventLine } from '../events/event-line.ts';
import { LEDGER_START, type LedgerPosition } from '../log/leaf.ts';
import { CompactRange } from '../log/merkle.ts';
import type { Verifier } from '../notes/note.ts';
import type { SnapshotFile } from '../reading/directory.ts';
import { readCheckpoint } from '../reading/read-checkpoint.ts';
import { readLines } from '../reading/read-lines.ts';
import { readSnapshots } from '../reading/read-snapshot.ts';
import { lockOf } from './lock-ledger.ts';

const Position = z.strictObject({
  snapshot: z.string(),
  size: z.int().min(0),
  range: z.array(z.string()),
  timestamp: z.string().nullable(),
});

/** Beside the ledger, with its lock. */
const positionPath = (ledger: string) => join(lockOf(ledger), 'sealed.json');

/** A ledger's snapshots, oldest first, and the keys of which one has signed each checkpoint. */
interface Sealed {
  ledger: string;
  files: readonly SnapshotFile[];
  verifiers: readonly Verifier[];
}

/** Keeps the end of the newest snapshot, so that the next writer need not read the whole ledger. Without it, that writer does. */
export async function keepPosition(ledger: string, position: LedgerPosition): Promise<void> {
  if (position.snapshot === null) return;
  const { snapshot, size, range, timestamp } = position;
  const json = JSON.stringify({ snapshot, size, range, timestamp });
  // A failure costs the next writer time, and nothing else.
  await writeFileAtomically(positionPath(ledger), json, false).catch(() => undefined);
}

/** The position that the last writer kept, if the ledger has its checkpoint; null otherwise. */
async function keptPosition({ ledger, files, verifiers }: Sealed): Promise<LedgerPosition | null> {
  const text = await readFile(positionPath(ledger), 'utf8').catch(() => '');
  try {
    const position = Position.parse(JSON.parse(text));
    const { checkpoint } = readCheckpoint(files.find(({ id }) => id === position.snapshot)!, verifiers);
    const root = CompactRange.resume(position.size, position.range).root();
    return checkpoint.size === position.size && checkpoint.root === root ? position : null;
  } catch {
    // Missing, damaged or of another ledger. It is derived: the ledger is read instead.
    return null;
  }
}

/** The end of the last snapshot with its tree, which the next checkpoint extends. Throws as `readSnapshot`. */
export async function sealedPosition(sealed: Sealed): Promise<LedgerPosition> {
  let position = (await keptPosition(sealed)) ?? LEDGER_START;
  const files = sealed.files.filter(({ id }) => position.snapshot === null || id > position.snapshot);
  for await (const { end } of readSnapshots(files, position, sealed.verifiers))
    if (end)
      position = { snapshot: end.snapshot, size: end.size, range: end.range, timestamp: end.timestamp };
  return position;
}

/** The time of the last event in the snapshots, at the cost of the newest one; null without an event. */
export async function lastSealedTime(sealed: Sealed): Promise<string | null> {
  const kept = await keptPosition(sealed);
  if (kept && kept.snapshot === sealed.files.at(-1)?.id) return kept.timestamp;
  for (const file of sealed.files.toReversed()) {
    const time = await lastTimeIn(file);
    if (time !== null) return time;
  }
  return null;
}

/** Null for a snapshot without events. */
async function lastTimeIn(file: SnapshotFile): Promise<string | null> {
  let last: Buffer | undefined;
  for await (const lines of readLines(file)) last = lines.at(-1);
  if (!last) return null;
  return parseEventLine(last, () => `snapshots/${file.id}.ndjson.zst, last line`).timestamp;
}
