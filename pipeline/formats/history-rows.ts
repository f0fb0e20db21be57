import { CathedralError } from '../errors.ts';
import type { Segment } from '../release/format/manifest.ts';
import { eventsIn } from '../release/history/row-events.ts';
import { readRowEvents, readSegment } from '../release/history/segment-file.ts';
import type { Staging } from '../release/staging/staging.ts';
import type { Row } from './columns.ts';
import { readPiece, splitPiece } from './read-rows.ts';
import { type Table, timeColumn } from './tables.ts';

/** How many rows a finished history has. */
export function countRows({ segments }: Staging, { artifact: { path } }: Table): number {
  return segments[path]?.[0]?.end_row ?? 0;
}

/** reversed: the file from its end to its front. by-day: the days in that order, but the rows of a day as in the file. */
export type RowOrder = 'reversed' | 'by-day';

/** Rows that are parsed at once: a segment may have 60,000, and the database reads all tables side by side. */
const BATCH_ROWS = 5000;
/** Rows parsed beyond those wanted, to find where a day begins. */
const FEW_ROWS = 32;

/**
 * The rows of a finished history from number `from` on, oldest first, in batches. Holds the text of one segment in memory at a
 * time, and parses no older rows than it needs. Throws release_invalid if a segment is damaged.
 */
export async function* historyRows(
  staging: Staging,
  table: Table,
  from: number,
  order: RowOrder = 'by-day',
  batchRows = BATCH_ROWS,
): AsyncGenerator<Row[]> {
  const column = timeColumn(table);
  const byDay = order === 'by-day' && isByDay(table);
  const newest = async (segment: Segment, wanted: number) => {
    const rows = await openSegment(staging, segment);
    return newestRows(table, rows, { wanted, all: rowsOf(segment), byDay, batchRows });
  };
  const segments = (staging.segments[table.artifact.path] ?? []).toReversed();
  const at = segments.findIndex(({ end_row }) => end_row > from);
  let rest: Row[] = [];
  for (const [index, segment] of segments.entries()) {
    if (at < 0 || index < at) continue;
    const { count, batches } = await newest(segment, segment.end_row - from);
    // The first day may begin in the segment before.
    if (index === at && at > 0 && byDay && count === rowsOf(segment))
      rest = [...(await newest(segments[at - 1]!, 1)).batches].flat();
    let end = segment.end_row - count;
    for (const batch of batches) {
      end += batch.length;
      const rows = rest.concat(batch);
      const isLast = index === segments.length - 1 && end === segment.end_row;
      const stop = byDay && !isLast ? startOfLastDay(rows, column) : rows.length;
      rest = rows.slice(stop);
      const whole = byDay ? inDays(rows.slice(0, stop), column) : rows;
      const wanted = whole.slice(Math.max(0, from - (end - rows.length)));
      if (wanted.length > 0) yield wanted;
    }
  }
}

function rowsOf({ first_row, end_row }: Segment): number {
  return end_row - first_row;
}

/** The text of a segment, and the events that each of its rows follows from, as the record beside it has them. */
interface OpenSegment {
  text: string;
  /** Newest first, like the rows. */
  events: readonly string[];
}

async function openSegment({ dir }: Staging, segment: Segment): Promise<OpenSegment> {
  const text = (await readSegment(dir, segment)).toString();
  const events = await readRowEvents(dir, segment);
  if (events) return { text, events };
  const place = `${segment.file}.events`;
  throw new CathedralError('release_invalid', { place, expected: 'the events of its rows', found: 'none' });
}

/** The rows of a piece of a segment with their events, in its order. `at`: how many rows come before the piece. */
function readLinked(table: Table, text: string, events: readonly string[], at: number, most?: number): Row[] {
  return readPiece(table, text, most).map((row, index) => [
    ...row,
    ...eventCells(table, events[at + index]!),
  ]);
}

/** The last column may have a list of all that are left. */
function eventCells({ columns, allColumns }: Table, line: string): Row {
  const events = eventsIn(line);
  if (allColumns.at(-1)!.type !== 'integers') return events;
  const alone = allColumns.length - columns.length - 1;
  return [...events.slice(0, alone), events.slice(alone)];
}

/** The newest rows of a segment: how many, and those rows, oldest first. */
interface Newest {
  count: number;
  batches: Iterable<Row[]>;
}

/**
 * At least the rows wanted, if the segment has so many; by day, all of the oldest one's day, as far as the segment has them.
 */
function newestRows(
  table: Table,
  segment: OpenSegment,
  { wanted, all, byDay, batchRows }: { wanted: number; all: number; byDay: boolean; batchRows: number },
): Newest {
  const read = (most: number) => readLinked(table, segment.text, segment.events, 0, most);
  if (wanted >= all) return { count: all, batches: batchesOf(table, segment, batchRows) };
  if (!byDay) return { count: wanted, batches: [read(wanted).reverse()] };
  const column = timeColumn(table);
  for (let most = wanted + FEW_ROWS; most < all; most += most) {
    const rows = read(most);
    const day = rows[wanted - 1]![column];
    const end = rows.findIndex((row, index) => index >= wanted && row[column] !== day);
    if (end >= 0) return { count: end, batches: [rows.slice(0, end).reverse()] };
  }
  return { count: all, batches: batchesOf(table, segment, batchRows) };
}

/** All rows of a segment, oldest first. */
function* batchesOf(table: Table, { text, events }: OpenSegment, batchRows: number): Generator<Row[]> {
  const pieces = splitPiece(table, text, batchRows);
  // Every piece but the last has so many rows.
  for (const [index, piece] of [...pieces.entries()].reverse())
    yield readLinked(table, piece, events, index * batchRows).reverse();
}

/** Whether the rows stand for a whole day and are added when it closes. Rows added then may also stand for a moment. */
function isByDay(table: Table): boolean {
  const { artifact, columns } = table;
  const addedByDay = artifact.kind === 'history' && artifact.dayRows !== undefined;
  return addedByDay && columns[timeColumn(table)]?.type === 'date';
}

function startOfLastDay(rows: readonly Row[], column: number): number {
  return rows.findLastIndex((row) => row[column] !== rows.at(-1)![column]) + 1;
}

/** Restores the order within each day: rows go to the front of a file, so the last row of a day was added first. */
function inDays(rows: readonly Row[], column: number): Row[] {
  const ordered: Row[] = [];
  for (let begin = 0; begin < rows.length; ) {
    let end = begin;
    while (end < rows.length && rows[end]![column] === rows[begin]![column]) end += 1;
    for (let index = end - 1; index >= begin; index -= 1) ordered.push(rows[index]!);
    begin = end;
  }
  return ordered;
}

/** Regroups batches into blocks of `size` rows; only the last may have fewer. */
export async function* blocksOf(batches: AsyncIterable<Row[]>, size: number): AsyncGenerator<Row[]> {
  let block: Row[] = [];
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; ) {
      const taken = batch.slice(at, at + size - block.length);
      block = block.length === 0 ? taken : block.concat(taken);
      at += taken.length;
      if (block.length < size) continue;
      yield block;
      block = [];
    }
  }
  if (block.length > 0) yield block;
}
