import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { CathedralError } from '../../errors.ts';
import type { LedgerEvent } from '../events/event.ts';
import { parseEventLine } from '../events/event-line.ts';
import { compareTimestamps } from '../events/timestamp.ts';
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
 * Finds events in a ledger's folder, oldest first or newest first. Reads only the ledger snapshots of the period: their checkpoints say
 * which numbers they contain, and their first lines from which time on. Verifies each line, but no root hash and no signature. Throws
 * `ledger_unreadable`, `ledger_corrupt`, `ledger_schema` or `ledger_order`, possibly after yielding events.
 */
export async function* findEvents(
  path: string,
  query: EventQuery,
  newestFirst = false,
): AsyncGenerator<FoundEvent> {
  // Opened before the snapshots are listed: a sealer writes a checkpoint before it replaces the head, so no event can be in neither.
  const head = await openHead(openDirectory(path).head);
  try {
    const parts = await openParts(path, head);
    const first = await firstPart(parts, query);
    const last = await lastPart(parts, query);
    for (let step = 0; step <= last - first; step += 1) {
      const part = parts[newestFirst ? last - step : first + step]!;
      yield* newestFirst ? backwards(part, query) : matching(part, query, 0, Number.POSITIVE_INFINITY);
    }
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

async function openParts(path: string, head: FileHandle | undefined): Promise<Part[]> {
  const { snapshots } = openDirectory(path);
  const sizes = new Map<string, number>();
  const sizeOf = (file: SnapshotFile | undefined) => {
    if (!file) return 0;
    const size = sizes.get(file.id) ?? readSize(file);
    sizes.set(file.id, size);
    return size;
  };
  const files = await snapshots(null);
  const parts: Part[] = files.map((file, index) => ({
    snapshot: file.id,
    start: () => sizeOf(files[index - 1]),
    end: () => sizeOf(file),
    lines: () => readLines(file),
    place: `snapshots/${file.id}.ndjson.zst`,
  }));
  parts.push({
    snapshot: null,
    start: () => sizeOf(files.at(-1)),
    end: () => Number.POSITIVE_INFINITY,
    lines: () => (head ? readRawLines(head) : none()),
    place: 'head.ndjson',
  });
  await assertNoGap(parts.at(-1)!);
  return parts;
}

async function* none(): AsyncGenerator<Buffer[]> {}

/** Throws ledger_order for a head that begins after the snapshots end. */
async function assertNoGap(head: Part): Promise<void> {
  for await (const [line] of head.lines()) {
    const { seq } = parseEventLine(line!, `${head.place}:1`);
    if (seq <= head.start()) return;
    const expected = `seq ${head.start()}, where the snapshots end, or before`;
    throw new CathedralError('ledger_order', { place: `${head.place}:1`, expected, found: `seq ${seq}` });
  }
}

/** Number of events up to the end of a ledger snapshot, as its checkpoint says. */
function readSize({ id, checkpoint }: SnapshotFile): number {
  const place = `snapshots/${id}.checkpoint`;
  let note: Buffer;
  try {
    note = readFileSync(checkpoint);
  } catch (cause) {
    const found = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new CathedralError('ledger_unreadable', { place, expected: 'a readable file', found, cause });
  }
  return parseCheckpoint(noteText(note, place), place).size;
}

/** The part where the first event may be: all of the events before it are earlier. */
async function firstPart(parts: readonly Part[], { seq, from }: EventQuery): Promise<number> {
  const bySeq = seq === null ? 0 : await firstWhere(parts, (part) => part.end() > seq.from);
  if (from === null) return bySeq;
  // Events of one time may be on both sides of a boundary, so the part before counts, too.
  const byTime = await firstWhere(parts, async (part) => isFrom(await firstTime(parts, part), from));
  return Math.max(bySeq, byTime - 1, 0);
}

/** The part where the last event may be: all of the events after it are later. */
async function lastPart(parts: readonly Part[], { seq, to }: EventQuery): Promise<number> {
  const last = parts.length - 1;
  const bySeq = seq === null ? last : await firstWhere(parts, (part) => part.end() > seq.to);
  if (to === null) return Math.min(bySeq, last);
  const after = await firstWhere(parts, async (part) => isAfter(await firstTime(parts, part), to));
  return Math.min(bySeq, after - 1, last);
}

/** Index of the first part for which `holds`, as it does for all after it; the number of parts if there is none. */
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

/** Time of the first event of a part or, if it is empty, of one after it; null if there is none. */
async function firstTime(parts: readonly Part[], part: Part): Promise<string | null> {
  for (const one of parts.slice(parts.indexOf(part)))
    for await (const [line] of one.lines()) return parseEventLine(line!, `${one.place}:1`).timestamp;
  return null;
}

function isFrom(time: string | null, from: string): boolean {
  return time === null || compareTimestamps(time, from) >= 0;
}

function isAfter(time: string | null, to: string): boolean {
  return time === null || compareTimestamps(time, to) > 0;
}

/** The matching events of the lines with a number in [from, to), oldest first. */
async function* matching(
  part: Part,
  query: EventQuery,
  from: number,
  to: number,
): AsyncGenerator<FoundEvent> {
  let line = 0;
  const { seq, types, agent, ...period } = query;
  for await (const batch of part.lines()) {
    for (const bytes of batch) {
      line += 1;
      if (line <= from) continue;
      if (line > to) return;
      // The lines of a snapshot have the numbers after the previous one. Those of the head may begin with sealed events.
      if (part.snapshot !== null && seq !== null) {
        const number = part.start() + line - 1;
        if (number < seq.from) continue;
        if (number > seq.to) return;
      }
      const event = parseEventLine(bytes, `${part.place}:${line}`);
      if (part.snapshot === null && event.seq < part.start()) continue;
      if (seq !== null && event.seq > seq.to) return;
      if (period.to !== null && compareTimestamps(event.timestamp, period.to) > 0) return;
      const matches =
        (seq === null || event.seq >= seq.from) &&
        (period.from === null || compareTimestamps(event.timestamp, period.from) >= 0) &&
        (types === null || types.has(event.type)) &&
        (agent === null || event.agent === agent);
      if (matches) yield { event, line: bytes, snapshot: part.snapshot };
    }
  }
}

/** Lines of a part that are held in memory to be turned round. */
const WINDOW = 50_000;

/** The matching events of a part, newest first. Reads a part of more lines several times. */
async function* backwards(part: Part, query: EventQuery): AsyncGenerator<FoundEvent> {
  let lines = 0;
  for await (const batch of part.lines()) lines += batch.length;
  for (let to = lines; to > 0; to -= WINDOW) {
    const found: FoundEvent[] = [];
    for await (const one of matching(part, query, Math.max(0, to - WINDOW), to)) found.push(one);
    yield* found.reverse();
  }
}
