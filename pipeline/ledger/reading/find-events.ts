import { printable } from '../../words/printable.ts';
import type { LedgerEvent } from '../events/event.ts';
import { parseEventLine } from '../events/event-line.ts';
import { slotTimestamp } from '../events/slot.ts';
import { compareTimestamps } from '../events/timestamp.ts';
import { leafHash } from '../log/merkle.ts';
import { parseCheckpoint } from '../notes/checkpoint.ts';
import { noteText } from '../notes/note.ts';
import { openDirectory, type SnapshotFile } from './directory.ts';
import { gapBeforeHead, openHead, readRawLines } from './head.ts';
import { readNoteOf } from './read-checkpoint.ts';
import { readLines } from './read-lines.ts';

/** Which events to find; null: no condition. */
export interface EventQuery {
  /** First and last number. */
  seq: { from: number; to: number } | null;
  /** First and last moment, as timestamps that sort among the ledger's. */
  from: string | null;
  to: string | null;
  types: ReadonlySet<string> | null;
  agent: string | null;
}

export interface FoundEvent {
  event: LedgerEvent;
  /** The bytes of the line, without its line end. */
  line: Buffer;
  /** The ledger snapshot that contains it; null: it is only in the head. */
  snapshot: string | null;
}

/** A ledger snapshot, or the head. */
interface Part {
  snapshot: string | null;
  /** Number of events in the parts before it. */
  start(): number;
  lines(): AsyncGenerator<Buffer[]>;
  place: string;
}

/**
 * Finds events in a ledger's folder, oldest first, or newest first with the matches of one ledger snapshot in memory. Leaves out ledger
 * snapshots of slots that ended before the period. Verifies each line, but no root hash and no signature. Throws `ledger_unreadable`,
 * `ledger_corrupt`, `ledger_schema` or `ledger_order`, possibly after yielding events.
 */
export async function* findEvents(
  path: string,
  query: EventQuery,
  newestFirst = false,
): AsyncGenerator<FoundEvent> {
  const directory = openDirectory(path);
  // Opened before the snapshots are listed: a sealer writes a checkpoint before it replaces the head, so no event can be in neither.
  await using head = await openHead(directory.head);
  const files = await directory.snapshots(null);
  const parts = files.map((file, index): Part => {
    const start = () => (index === 0 ? 0 : readSize(files[index - 1]!));
    return {
      snapshot: file.id,
      start,
      lines: () => readLines(file),
      place: `snapshots/${file.id}.ndjson.zst`,
    };
  });
  if (head) {
    const start = () => (files.length === 0 ? 0 : readSize(files.at(-1)!));
    parts.push({ snapshot: null, start, lines: () => readRawLines(head), place: 'head.ndjson' });
  }
  const { seq, from } = query;
  const some = parts.filter(
    ({ snapshot, start }, index) =>
      (from === null || snapshot === null || compareTimestamps(slotTimestamp(snapshot), from) > 0) &&
      (seq === null || (start() <= seq.to && (parts[index + 1]?.start() ?? seq.from + 1) > seq.from)),
  );
  for (const part of newestFirst ? some.toReversed() : some) {
    const found = matching(part, query);
    if (newestFirst) yield* (await Array.fromAsync(found)).reverse();
    else if (yield* found) return;
  }
}

/** Number of events up to the end of a ledger snapshot, as its checkpoint says. */
function readSize(file: SnapshotFile): number {
  const { bytes, place } = readNoteOf(file);
  return parseCheckpoint(noteText(bytes, place), place).size;
}

/** The matching events of a part, oldest first. Returns whether all that follows is behind the last wanted event. */
async function* matching(part: Part, query: EventQuery): AsyncGenerator<FoundEvent, boolean> {
  const { seq, from, to, types, agent } = query;
  const { snapshot, place } = part;
  const start = part.start();
  let number = 0;
  for await (const lines of part.lines())
    for (const line of lines) {
      number += 1;
      const event = parseEventLine(line, () => `${place}:${number}`);
      // A head may begin with sealed events.
      if (snapshot === null && event.seq < start) continue;
      if (snapshot === null && number === 1 && event.seq > start)
        throw gapBeforeHead(start, `seq ${event.seq}`);
      if ((seq !== null && event.seq > seq.to) || (to !== null && compareTimestamps(event.timestamp, to) > 0))
        return true;
      const matches =
        (seq === null || event.seq >= seq.from) &&
        (from === null || compareTimestamps(event.timestamp, from) >= 0) &&
        (types === null || types.has(event.type)) &&
        (agent === null || event.agent === agent);
      if (matches) yield { event, line, snapshot };
    }
  return false;
}

/** For people, on one line. */
export function formatFound({ event, snapshot }: FoundEvent): string {
  const { seq, timestamp, cycle, type, agent, data } = event;
  const where = (snapshot ?? 'head').padEnd('2025-12-01T06Z'.length);
  const line = `${`${seq}`.padStart(7)}  ${timestamp}  ${cycle}  ${where}  ${type}  ${agent}  ${JSON.stringify(data)}`;
  return printable(line);
}

/** For programs. */
export function formatFoundJson({ event, line, snapshot }: FoundEvent): string {
  return JSON.stringify({ ...event, attestation_hash: `0x${leafHash(line)}`, snapshot }, null, 2);
}
