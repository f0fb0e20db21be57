import { formatCount } from '../../words/number.ts';
import type { FileRows } from './file-rows.ts';
import {
  type Cells,
  type Difference,
  differencesOf,
  type HistoryForm,
  type HistoryTable,
  parseCells,
  shownCell,
} from './history-table.ts';
import { compareTimes, DATE, type LogRow, type LogRows, type Place, TIMESTAMP } from './log-rows.ts';

export interface RowFinding {
  /** Of the file, from 1. */
  line: number;
  /**
   * `differs`: the row stands where the log has another one of its time or key. `added`: the log has no such row, or not here. `missing`: rows of
   * the log that should come before the line.
   */
  kind: 'differs' | 'added' | 'missing' | 'unreadable';
  message: string;
}

/** What the log does not show, so that a row which seems wrong may be right. Reasons end the sentence “it cannot be checked: it is …”. */
export interface Excuses {
  /** Why a row cannot be compared, whatever the log has; null: it can. */
  exempts(cells: Cells): string | null;
  /** The row that the log repeats for a time without an event; null for a row that needs an event. */
  carried(cells: Cells): LogRow | null;
  /** Why a row that differs from one of the log, comes once more, or has none, may be right; null: it is wrong. */
  excuse(kind: 'differs' | 'repeated' | 'added', cells: Cells, time: string): Promise<string | null>;
  /** What is wrong with a row that the log does not give. */
  added(cells: Cells): Promise<string>;
}

interface CompareOptions {
  table: HistoryTable;
  form: HistoryForm;
  /** Columns that cannot be compared. */
  masked?: readonly string[];
  /** The first row that the file should have; null: none. Omitted: the file’s first rows say so. */
  start?: Place | null;
  /** The file may end anywhere, but has all rows of the time of its last one. Otherwise it ends with the log’s oldest row. */
  endsAnywhere?: boolean;
  /** Called from time to time; null: all rows of the log were found. */
  onProgress?: (next: Place | null) => void;
}

export interface Compared {
  findings: RowFinding[];
  /** Rows read, and how many of them follow from the log as they are. */
  rows: number;
  proved: number;
  /** Of these, rows that no event of the log gives. */
  unchanged: number;
  /** Rows of the log that the file has or should have. */
  expected: number;
  newest: Place | null;
  oldest: Place | null;
  /** Why rows could not be compared, with their number and the first of them. */
  left: Map<string, { rows: number; line: number }>;
  /** There were too many findings to read the file to its end. */
  isAbandoned: boolean;
}

/** A file that has nothing to do with the log is not compared to its end. */
const MAX_FINDINGS = 1000;
/** The same while no row has followed from the log. */
const MAX_FIRST_FINDINGS = 20;
const PROGRESS_ROWS = 5000;

/** Below every place. */
const NONE = -1;

/** How far the file and the log were read, both newest first. */
interface Walk extends CompareOptions {
  file: FileRows;
  log: LogRows;
  excuses: Excuses;
  found: Compared;
  line: number;
  /** The row of the log that should come next; null: there are no more; undefined: no row has shown yet where the file begins. */
  next: Place | null | undefined;
  /** The newest time of the rows before the file’s beginning was known. */
  newestTime: string | null;
  /** Of the last row that came in its place. */
  time: string | null;
}

/**
 * Walks through the rows of a file and those of a log, both newest first. Every row of the log should come once, in its place; whatever is not
 * so is a finding with its line. Keeps only the findings, and what `file` and `log` keep. Throws the errors of both.
 */
export async function compareRows(
  file: FileRows,
  log: LogRows,
  excuses: Excuses,
  options: CompareOptions,
): Promise<Compared> {
  const { start, onProgress } = options;
  const found: Compared = {
    findings: [],
    rows: 0,
    proved: 0,
    unchanged: 0,
    expected: 0,
    newest: start ?? null,
    oldest: null,
    left: new Map(),
    isAbandoned: false,
  };
  const walk: Walk = {
    ...options,
    file,
    log,
    excuses,
    found,
    line: 0,
    next: start,
    newestTime: null,
    time: null,
  };
  for (let row = await file.peek(); row; row = await file.peek()) {
    file.skip();
    walk.line = row.line;
    found.rows += 1;
    if (found.rows % PROGRESS_ROWS === 0) onProgress?.(walk.next ?? null);
    await compareRow(row.text, walk);
    found.isAbandoned = found.findings.length >= (found.proved === 0 ? MAX_FIRST_FINDINGS : MAX_FINDINGS);
    if (found.isAbandoned) break;
  }
  onProgress?.(null);
  if (!found.isAbandoned) await end(walk);
  found.findings.sort((one, other) => one.line - other.line);
  return found;
}

async function compareRow(text: string, walk: Walk): Promise<void> {
  const { table, form, log, excuses } = walk;
  if (walk.next != null && isSame(await log.at(walk.next), text, walk)) return take(walk.next, null, walk);
  const cells = parseCells(table, form, text);
  if (!cells) return fault(walk, 'unreadable', `this is not a row of ${table.path}`);
  const time = cells[table.time]!;
  if (!DATE.test(time) && !TIMESTAMP.test(time))
    return fault(walk, 'unreadable', `${table.time} is not a time: ${shownCell(time)}`);
  if (walk.newestTime === null || compareTimes(time, walk.newestTime) > 0) walk.newestTime = time;
  if (walk.time !== null && compareTimes(time, walk.time) > 0)
    return fault(walk, 'added', `a row of ${time} should come earlier, and not after one of ${walk.time}`);
  const exempt = excuses.exempts(cells);
  if (exempt !== null) return leave(exempt, walk);
  const carried = excuses.carried(cells);
  return carried ? compareCarried(carried, cells, walk) : compareWithLog(cells, time, walk);
}

async function compareWithLog(cells: Cells, time: string, walk: Walk): Promise<void> {
  const { log, excuses } = walk;
  const ofTime = await log.ofTime(time);
  const [same, like]: [Place[], Place[]] = [[], []];
  for (const place of ofTime) {
    const row = await log.at(place);
    if (differences(row, cells, walk).length === 0) same.push(place);
    // A day has each key only once, whatever events stay hashes.
    else if (row.event === null && isLike(row, cells, walk)) like.push(place);
  }
  const own = same.length > 0 ? same : like;
  if (own.length > 0) {
    await begin(own[0]!, walk);
    const place = own.find((one) => !isPassed(one, walk));
    if (place !== undefined && (await goTo(place, walk))) return take(place, cells, walk);
    const repeated = await excuses.excuse('repeated', cells, time);
    return repeated === null ? outOfPlace(await log.at(own[0]!), walk) : leave(repeated, walk);
  }
  const reason = await excuses.excuse('added', cells, time);
  if (reason !== null) return leave(reason, walk);
  if (ofTime.length > 0) await begin(ofTime[0]!, walk);
  const expected = walk.next == null ? null : await log.at(walk.next);
  if (expected && isLike(expected, cells, walk) && !(await isNextInFile(expected, walk)))
    return take(walk.next!, cells, walk);
  return fault(walk, 'added', await excuses.added(cells));
}

/** A row of a time without an event comes after all rows of newer times, and before the others. */
async function compareCarried(row: LogRow, cells: Cells, walk: Walk): Promise<void> {
  const place = await newestUpTo(row.time, walk);
  await begin(place, walk);
  if (row.time === walk.time || isPassed(place, walk) || !(await goTo(place, walk)))
    return outOfPlace(row, walk);
  walk.time = row.time;
  if (await blame(row, cells, walk)) return;
  walk.found.proved += 1;
  walk.found.unchanged += 1;
}

/**
 * Where the file begins, once a row shows it. From there on it has all rows of the log: those of the same event or day, which every release has
 * together, and those of times before that of a row of the file.
 */
async function begin(first: Place | null, walk: Walk): Promise<void> {
  if (walk.next !== undefined) return;
  const { newestTime } = walk;
  const older = newestTime === null ? null : await newestUpTo(newestTime, walk);
  const place = Math.max(first ?? NONE, older ?? NONE);
  walk.next = place === NONE ? null : place === first ? await newestOfEvent(place, walk) : place;
  walk.found.newest = walk.next;
}

/** The newest row of the same event or day. */
async function newestOfEvent(place: Place, { log }: Walk): Promise<Place> {
  const { event, time } = await log.at(place);
  let newest = place;
  for (let at = await log.newer(place); at !== null; at = await log.newer(at)) {
    const row = await log.at(at);
    if (row.event !== event || compareTimes(row.time, time) !== 0) break;
    newest = at;
  }
  return newest;
}

/** The newest row of the log that a file has if it has one of this time. A day has all its rows; of events at one time, some may be of a later release. */
function newestUpTo(time: string, { log, table }: Walk): Promise<Place | null> {
  const most = table.time === 'date' ? 1 : 0;
  return log.newestWhere((row) => compareTimes(row.time, time) < most);
}

/** In which columns a row of the file differs from a row of the log. */
function differences(row: LogRow, cells: Cells, { table, form, masked = [] }: Walk): Difference[] {
  return differencesOf(table, form, { row, cells }).filter(({ column }) => !masked.includes(column));
}

function isSame(row: LogRow, text: string, walk: Walk): boolean {
  const { table, form } = walk;
  // Most rows are spelt as the service does, which takes far less time to see than their cells.
  if (text === (form === 'ndjson' ? row.spelt : (row.spelt ?? row.text))) return true;
  const cells = parseCells(table, form, text);
  return cells !== null && differences(row, cells, walk).length === 0;
}

/** Whether a row of the file has the key of a row of the log; where rows have none, its time. */
function isLike(row: LogRow, cells: Cells, walk: Walk): boolean {
  const { key, time } = walk.table;
  if (key.length === 0) return compareTimes(row.time, cells[time]!) === 0;
  return !differences(row, cells, walk).some(({ column }) => key.includes(column));
}

/** Whether the file’s next row is this row of the log. Then the current row is not a changed version of it. */
async function isNextInFile(row: LogRow, walk: Walk): Promise<boolean> {
  const following = await walk.file.peek();
  return following !== null && isSame(row, following.text, walk);
}

/** Whether a row of the log had to come before. */
function isPassed(place: Place | null, { next }: Walk): boolean {
  return place !== null && (next == null || place > next);
}

/**
 * Reports the rows of the log before a place as missing. Returns false, and reports none, if the file’s next row is the one that should come
 * now: then the current row is the one in the wrong place.
 */
async function goTo(place: Place | null, walk: Walk): Promise<boolean> {
  const { next, log } = walk;
  if (next == null || place === next) return true;
  if (await isNextInFile(await log.at(next), walk)) return false;
  await miss(place, walk.line, walk);
  return true;
}

/** A row that stands for one of the log. `cells`: null if it is known to be the same. */
async function take(place: Place, cells: Cells | null, walk: Walk): Promise<void> {
  const { log, found } = walk;
  const row = await log.at(place);
  if (!cells || !(await blame(row, cells, walk))) found.proved += 1;
  found.expected += 1;
  found.oldest = place;
  walk.time = row.time;
  walk.next = await log.older(place);
}

/** Says that the rows of the log down to a place, which is there, should come before a line; null: to the oldest. */
async function miss(until: Place | null, line: number, walk: Walk): Promise<void> {
  const { log, found } = walk;
  const from = walk.next!;
  let [count, oldest] = [1, from];
  for (let place = await log.older(from); place !== until; place = await log.older(place!)) {
    oldest = place!;
    count += 1;
  }
  walk.next = until;
  found.expected += count;
  found.oldest = oldest;
  const [last, first] = [describeRow(await log.at(oldest)), describeRow(await log.at(from))];
  const what =
    count === 1 ? `the row of ${first}` : `${formatCount(count, 'row')} of the log, ${last} to ${first},`;
  found.findings.push({ line, kind: 'missing', message: `${what} should come before this line` });
}

/** Says in what a row differs from a row of the log. False: in nothing. */
async function blame(row: LogRow, cells: Cells, walk: Walk): Promise<boolean> {
  const wrong = differences(row, cells, walk);
  if (wrong.length === 0) return false;
  const reason = await walk.excuses.excuse('differs', cells, row.time);
  if (reason !== null) leave(reason, walk);
  else for (const difference of wrong) fault(walk, 'differs', describeDifference(difference, row));
  return true;
}

function outOfPlace(row: LogRow, walk: Walk): void {
  fault(walk, 'added', `the row of ${describeRow(row)} is not expected here, or not once more`);
}

function leave(reason: string, { found: { left }, line }: Walk): void {
  const known = left.get(reason);
  left.set(reason, { rows: (known?.rows ?? 0) + 1, line: known?.line ?? line });
}

function fault({ found, line }: Walk, kind: RowFinding['kind'], message: string): void {
  found.findings.push({ line, kind, message });
}

/** The rest of the log is missing, and the file may have a fault of its own. */
async function end(walk: Walk): Promise<void> {
  const { file, found } = walk;
  await begin(null, walk);
  const until = walk.endsAnywhere ? await olderThanLast(walk) : null;
  if (walk.next !== until) await miss(until, walk.line + 1, walk);
  if (file.fault) found.findings.push({ kind: 'unreadable', ...file.fault });
}

/** The newest row of the log that is older than the last one of the file; null if that was of the oldest time. */
async function olderThanLast({ log, time, next = null }: Walk): Promise<Place | null> {
  let place = next;
  while (place !== null && time !== null && compareTimes((await log.at(place)).time, time) === 0)
    place = await log.older(place);
  return place;
}

/** `amount of event 5, 2026-02-11T…: the log gives 960.01, the row has 1960.01` */
function describeDifference({ column, expected, found }: Difference, row: LogRow): string {
  return `${column} of ${describeRow(row)}: the log gives ${shownCell(expected)}, the row has ${shownCell(found)}`;
}

export function describeRow({ event, time, timestamp }: LogRow): string {
  return event === null ? time : `event ${event}, ${timestamp}`;
}

/** `3 rows, from line 5 on, cannot be checked: they are of …`: why rows could not be compared, as sentences. */
export function leftAsSentences({ left }: Compared): string[] {
  return [...left].map(
    ([reason, { rows, line }]) =>
      `${formatCount(rows, 'row')}, from line ${line} on, cannot be checked: ${rows === 1 ? 'it is' : 'they are'} ${reason}.`,
  );
}
