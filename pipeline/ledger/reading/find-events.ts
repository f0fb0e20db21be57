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
  /** Number of its first event. */
  start(): number;
  /** Number after its last event; Infinity for the head. */
  end(): number;
  lines(): AsyncGenerator<Buffer[], unknown>;
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

/** The parts that may have matching events. */
async function partsWith({ seq, from, to }: EventQuery, parts: readonly Part[]): Promise<Part[]> {
  const firstAt = async (holds: (time: string) => boolean) =>
    firstWhere(parts, async (part) => {
      const time = await firstTime(parts, part);
      return time === null || holds(time);
    });
  const first = [
    seq === null ? 0 : await firstWhere(parts, (part) => part.end() > seq.from),
    // Events of one time may be on both sides of a boundary, so the part before counts, too.
    from === null ? 0 : (await firstAt((time) => compareTimestamps(time, from) >= 0)) - 1,
  ];
  const after = [
    seq === null ? parts.length : (await firstWhere(parts, (part) => part.end() > seq.to)) + 1,
    to === null ? parts.length : await firstAt((time) => compareTimestamps(time, to) > 0),
  ];
  return parts.slice(Math.max(0, ...first), Math.min(...after));
}

/**
 * Binary search: `holds` is false for some parts, then true for the rest. Returns the index of the first of the rest, which is parts.length if
 * it is never true.
 */
async function firstWhere(
  parts: readonly Part[],
  holds: (part: Part) => boolean | Promise<boolean>,
): Promise<number> {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await holds(parts[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Time of the first event from the beginning of a part on; null if neither it nor a later part has events. */
async function firstTime(parts: readonly Part[], part: Part): Promise<string | null> {
  for (const one of parts.slice(parts.indexOf(part)))
    for await (const [line] of one.lines()) return parseEventLine(line!, () => `${one.place}:1`).timestamp;
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
