import { CathedralError } from '../errors.ts';
import type { Segment } from '../release/format/manifest.ts';
import { eventsIn } from '../release/history/row-events.ts';
import { readRowEvents, readSegment } from '../release/history/segment-file.ts';
import type { Staging } from '../release/staging/staging.ts';
import type { Row } from './columns.ts';
import { readPiece, splitPiece } from './read-rows.ts';
import { type Table, timeColumn } from './tables.ts';

/** Rows that are parsed at once: a segment may have 60,000. */
const PIECE_ROWS = 5000;

/**
 * The rows of a finished history, the oldest day first, and the rows of a day as they stand in the file; in batches of whole days where rows
 * stand for days. Holds the text of one segment in memory at a time. Throws release_invalid if a segment is damaged.
 */
export async function* historyRows(
  staging: Pick<Staging, 'dir' | 'segments'>,
  table: Table,
  pieceRows = PIECE_ROWS,
): AsyncGenerator<Row[]> {
  const segments = (staging.segments[table.artifact.path] ?? []).toReversed();
  /** The newest day so far, which the next rows may belong to. */
  let rest: Row[] = [];
  for (const segment of segments) {
    for (const piece of await openSegment(staging.dir, table, segment, pieceRows)) {
      const rows = rest.concat(piece());
      const end = hasDays(table) ? startOfLastDay(rows, timeColumn(table)) : rows.length;
      rest = rows.slice(end);
      if (end > 0) yield inFileOrder(table, rows.slice(0, end));
    }
  }
  if (rest.length > 0) yield inFileOrder(table, rest);
}

/** What reads the pieces of a segment, the oldest first; each gives its rows, the oldest first. */
async function openSegment(
  dir: string,
  table: Table,
  segment: Segment,
  pieceRows: number,
): Promise<(() => Row[])[]> {
  const text = (await readSegment(dir, segment)).toString();
  const events = await readRowEvents(dir, segment);
  if (!events) {
    const place = `${segment.file}.events`;
    throw new CathedralError('release_invalid', { place, expected: 'the events of its rows', found: 'none' });
  }
  const pieces = splitPiece(table, text, pieceRows);
  // Every piece but the last has this many rows.
  const readers = pieces.map((piece, index) => () => {
    const rows = readPiece(table, piece);
    const linked = rows.map((row, at) => [...row, ...eventCells(table, events[index * pieceRows + at]!)]);
    return linked.reverse();
  });
  return readers.reverse();
}

/** The events that a row follows from, as the record beside the segment has them. The last column may have a list of all that are left. */
function eventCells({ columns, allColumns }: Table, line: string): Row {
  const events = eventsIn(line);
  if (allColumns.at(-1)!.type !== 'integers') return events;
  const alone = allColumns.length - columns.length - 1;
  return [...events.slice(0, alone), events.slice(alone)];
}

/** Whether the rows stand for a whole day and are added when it closes. Rows added then may also stand for a moment. */
function hasDays({ artifact, columns }: Table): boolean {
  const addedByDay = artifact.kind === 'history' && artifact.dayRows !== undefined;
  return addedByDay && columns.find(({ type }) => type === 'datetime' || type === 'date')?.type === 'date';
}

function startOfLastDay(rows: readonly Row[], column: number): number {
  return rows.findLastIndex((row) => row[column] !== rows.at(-1)![column]) + 1;
}

/**
 * Reverses the rows within each day of a table whose rows stand for days: rows go to the front of a file, so the last row of a day was
 * added first. Done twice, it gives the rows in the order in which they were added.
 */
export function inFileOrder(table: Table, rows: readonly Row[]): Row[] {
  if (!hasDays(table)) return [...rows];
  const column = timeColumn(table);
  const ordered: Row[] = [];
  for (let begin = 0; begin < rows.length; ) {
    let end = begin;
    while (end < rows.length && rows[end]![column] === rows[begin]![column]) end += 1;
    ordered.push(...rows.slice(begin, end).reverse());
    begin = end;
  }
  return ordered;
}
