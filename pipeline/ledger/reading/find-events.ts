import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { CathedralError } from '../../errors.ts';
import { printable } from '../../words/printable.ts';
import { nearType } from '../events/draft.ts';
import { isKnownType, type LedgerEvent } from '../events/event.ts';
import { parseEventLine } from '../events/event-line.ts';
import { compareTimestamps } from '../events/timestamp.ts';
import { leafHash } from '../log/merkle.ts';
import { parseCheckpoint } from '../notes/checkpoint.ts';
import { noteText } from '../notes/note.ts';
import { openDirectory, type SnapshotFile } from './directory.ts';
import { openHead, readRawLines } from './head.ts';
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

/**
 * Finds events in a ledger's folder, oldest first, or newest first with the matches of one ledger snapshot in memory. Reads only the ledger
 * snapshots of the period: their checkpoints say which numbers they contain, and their first lines from which time on. Verifies each line,
 * but no root hash and no signature. Throws `ledger_unreadable`, `ledger_corrupt`, `ledger_schema` or `ledger_order`, possibly after
 * yielding events.
 */
export async function* findEvents(
  path: string,
  query: EventQuery,
  newestFirst = false,
): AsyncGenerator<FoundEvent> {
  // Opened before the snapshots are listed: a sealer writes a checkpoint before it replaces the head, so no event can be in neither.
  const head = await openHead(openDirectory(path).head);
  try {
    const parts = await partsWith(query, await partsOf(path, head));
    if (!newestFirst) for (const part of parts) yield* matching(part, query);
    else
      for (const part of parts.toReversed()) yield* (await Array.fromAsync(matching(part, query))).reverse();
  } finally {
    await head?.close();
  }
}

/** A ledger snapshot, or the head. */
interface Part {
  snapshot: string | null;
  /** Number of its first event that is in no part before it. */
  start(): number;
  /** Number after its last event; Infinity for the head. */
  end(): number;
  lines(): AsyncGenerator<Buffer[]>;
  place: string;
}

async function partsOf(path: string, head: FileHandle | undefined): Promise<Part[]> {
  const files = await openDirectory(path).snapshots(null);
  const sizeUpTo = (index: number) => (index < 0 ? 0 : readSize(files[index]!));
  const parts = files.map(
    (file, index): Part => ({
      snapshot: file.id,
      start: () => sizeUpTo(index - 1),
      end: () => sizeUpTo(index),
      lines: () => readLines(file),
      place: `snapshots/${file.id}.ndjson.zst`,
    }),
  );
  if (!head) return parts;
  const start = () => sizeUpTo(files.length - 1);
  const [end, lines] = [() => Number.POSITIVE_INFINITY, () => readRawLines(head)];
  return [...parts, { snapshot: null, start, end, lines, place: 'head.ndjson' }];
}

/** Number of events up to the end of a ledger snapshot, as its checkpoint says. */
function readSize({ id, checkpoint }: SnapshotFile): number {
  const place = `snapshots/${id}.checkpoint`;
  try {
    return parseCheckpoint(noteText(readFileSync(checkpoint), place), place).size;
  } catch (cause) {
    if (cause instanceof CathedralError) throw cause;
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CathedralError('ledger_unreadable', { place, expected: 'a readable file', found, cause });
  }
}

/** The parts that may have matching events, found by binary search. */
async function partsWith({ seq, from, to }: EventQuery, parts: readonly Part[]): Promise<readonly Part[]> {
  const first = await firstWhere(parts.length, async (at) => {
    if (seq !== null && parts[at]!.end() <= seq.from) return false;
    // Events of one time may be on both sides of a boundary.
    const next = from === null ? null : await firstTime(parts.slice(at + 1));
    return next === null || compareTimestamps(next, from!) >= 0;
  });
  const after = await firstWhere(parts.length, async (at) => {
    if (seq !== null && parts[at]!.start() > seq.to) return true;
    const time = to === null ? null : await firstTime(parts.slice(at));
    return time !== null && compareTimestamps(time, to!) > 0;
  });
  return parts.slice(first, after);
}

/** The first of so many numbers for which `holds`, which is false for some and then true for the rest; `count` if it is never true. */
async function firstWhere(count: number, holds: (at: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Time of the first event of these parts; null if they have none. */
async function firstTime(parts: readonly Part[]): Promise<string | null> {
  for (const part of parts) {
    const start = part.start();
    let number = 0;
    for await (const lines of part.lines())
      for (const line of lines) {
        number += 1;
        const { seq, timestamp } = parseEventLine(line, () => `${part.place}:${number}`);
        // A head may begin with sealed events, which are older.
        if (seq >= start) return timestamp;
      }
  }
  return null;
}

/** The matching events of a part, oldest first. */
async function* matching(part: Part, query: EventQuery): AsyncGenerator<FoundEvent> {
  const { seq, from, to, types, agent } = query;
  const start = part.start();
  let line = 0;
  for await (const batch of part.lines())
    for (const bytes of batch) {
      line += 1;
      // The lines of a snapshot have the numbers after the previous one.
      if (part.snapshot !== null && seq !== null && start + line - 1 < seq.from) continue;
      const event = parseEventLine(bytes, () => `${part.place}:${line}`);
      // Those of the head may begin with sealed events.
      if (part.snapshot === null && event.seq < start) continue;
      if (part.snapshot === null && line === 1 && event.seq > start) throw gap(start, event.seq);
      if (seq !== null && event.seq > seq.to) return;
      if (to !== null && compareTimestamps(event.timestamp, to) > 0) return;
      const matches =
        (seq === null || event.seq >= seq.from) &&
        (from === null || compareTimestamps(event.timestamp, from) >= 0) &&
        (types === null || types.has(event.type)) &&
        (agent === null || event.agent === agent);
      if (matches) yield { event, line: bytes, snapshot: part.snapshot };
    }
}

function gap(start: number, found: number): CathedralError {
  return new CathedralError('ledger_order', {
    place: 'head.ndjson:1',
    expected: `seq ${start}, where the snapshots end, or before`,
    found: `seq ${found}`,
  });
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

/** The types that were probably meant by those that are unknown. */
export function nearTypes(types: ReadonlySet<string> | null): string[] {
  const unknown = [...(types ?? [])].filter((type) => !isKnownType(type));
  return unknown.flatMap((type) => nearType(type) ?? []);
}
