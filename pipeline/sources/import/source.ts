import { CathedralError } from '../../errors.ts';
import type { EventWarning, NextPlace } from '../../ledger/events/draft.ts';
import type { EventLine } from '../../ledger/writing/ledger-writer.ts';
import type { IndexedForm, KnownRow, RowIndex } from './row-index.ts';

/**
 * Rows that become the events of a local ledger: a table of a database, a file, a remote ledger. `import-rows.ts` follows them. A source
 * only reads.
 */
export interface RowSource {
  /** For messages and events, without a password: `postgres://cathedral@db.example.org/registry?table=events`. */
  name: string;
  /** What to do where the newest rows come first; null: the source brings any order into its own. */
  oldestFirst: string | null;
  /** Whether all rows of a first import are read before one is taken, as in a file; a connection may break at any row. */
  isReadTwice: boolean;
  /** How the events of a ledger hold its rows. */
  form: RowForm;
  /** Slots are sealed that long after their end, because a row becomes visible some time after its own time, ms. */
  sealDelayMs: number;
  /** Whether a slot without events is sealed as a sign of life. */
  quiet: 'alive' | 'never';
  /** Opens the rows as they are now. Throws `import_failed` if they cannot be read, or if they are no rows of events. */
  open(opening: Opening): Promise<RowView>;
}

export interface Opening {
  /** What was imported before, and what the view of the last import asked to remember. */
  index: RowIndex;
  /** The clock, Unix ms. */
  now: number;
  /** How many windows of older rows `some` has, resuming where the last import stopped. */
  auditWindows: number;
}

/** The rows of a source. Each method may throw `import_failed`, also in the midst of rows. */
export interface RowView extends AsyncDisposable {
  /** Rows that every import compares: the newest of those up to the last imported one, and some older ones in turn. */
  some(): AsyncIterable<readonly SourceRow[]>;
  /** Whether no row up to the last imported one is new or missing, as far as that shows at little cost. */
  isSame(): Promise<boolean>;
  /** All rows, in their order, as far as `fresh` goes; for a source that has an order of its own for new rows, only imported ones. */
  all(): AsyncIterable<readonly SourceRow[]>;
  /** The rows from a start on, up to the last one before which no other row can still appear. */
  fresh(start: Start): AsyncIterable<readonly SourceRow[]>;
  /**
   * `fresh` may hold rows back. `since` is the time of the oldest one, in the ledger's form; its slot stays open. Null: none. `unread`,
   * `future`: where somebody should know.
   */
  held(start: Start): Promise<{ since: string; unread?: Unread; future?: string | null } | null>;
  /** Which of these ids a row has that neither `all` nor `fresh` shows yet. Missing: none. */
  heldIds?(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Throws if a row has the id of another row that is in the source now. Missing: the source has each id once. */
  assertOnce?(row: SourceRow): Promise<void>;
  /** Columns of the mapping that no row had so far. Missing: the source has them all. */
  readonly absent?: ReadonlySet<string>;
  /** Further alerts, once all rows have been read. */
  alerts?(): Iterable<SourceAlert>;
  /** What the next import finds in its index. `last`: the last row that was taken, if any; null for `isWhole`: not all of those before it. */
  mark(start: Start, last: SourceRow | null, isWhole: boolean): Promise<unknown>;
}

/** Where new rows begin: behind the last imported one, or behind a row that `all` has shown (null: with the first row). */
export type Start = 'end' | { last: SourceRow | null };

/** A row, what it says and what it becomes. Its id is unique in the source and has at most 200 characters. */
export interface SourceRow extends KnownRow {
  /** Where it is, for its source. */
  place?: unknown;
  /** The line where it begins, in a file. */
  line?: number;
  /** Makes its event; or why it is no event; or null for a row that the mapping leaves out. */
  event: WriteEvent | CathedralError | null;
  /** What is probably wrong with the row, beside what is with its event. */
  warning?: EventWarning | null;
}

/** The next events of a ledger. Throws `ledger_schema`, `ledger_order`, `ledger_corrupt` or `import_failed`. */
export type WriteEvent = (next: NextPlace, context: WriteContext) => Written;

/** A row for messages: `csv+file:/srv/votes.csv:7, row 17`. */
export function rowPlace(name: string, { id, line }: Pick<SourceRow, 'id' | 'line'>, noun = 'row'): string {
  return `${name}${line === undefined ? '' : `:${line}`}, ${noun} ${id}`;
}

const MAX_ID_LENGTH = 200;

/** Throws ledger_schema. */
export function assertRowId(id: string, place: string): void {
  if (id !== '' && id.length <= MAX_ID_LENGTH) return;
  const expected = `an id of 1 to ${MAX_ID_LENGTH} characters`;
  throw new CathedralError('ledger_schema', { place, expected, found: `${id.length}` });
}

/** What follows the last whole row of a file. */
export interface Unread {
  /** Its line. */
  line: number;
  /** Since when, Unix ms. */
  since: number;
  /** Why it is no whole row: `a quote that is not closed`. */
  reason: string;
}

/** Something about the rows that does not stop the import. What follows from the source alone is in the ledger as well, in an alert. */
export interface RowFinding {
  /**
   * `late`: rows came after rows that follow them, or after the slot of their time had been sealed. `modified`, `deleted`: rows are no longer as
   * they were imported. `unread`: the last row of a file is not whole; `future`: rows wait for their time; no alert says so. `fork`: another
   * event of a remote ledger has the same predecessor. `gap`: the remote ledger does not have its predecessor. `payload_as_text`,
   * `payload_as_hash`: the ledger holds its payload only in this form. The others are warnings about what rows say, each told once; no alert
   * says so.
   */
  kind:
    | 'late'
    | 'modified'
    | 'deleted'
    | 'unread'
    | 'future'
    | 'fork'
    | 'gap'
    | 'payload_as_text'
    | 'payload_as_hash'
    | EventWarning['kind'];
  /** Ids of the rows. */
  rows: readonly string[];
  message: string;
}

export interface SourceAlert {
  finding: RowFinding;
  alert: string;
  data: { message: string } & Record<string, unknown>;
}

/** What a row became. */
export interface Written {
  /** Its event, and what follows it. */
  events: EventLine[];
  findings?: readonly RowFinding[];
}

export interface WriteContext {
  /** The row came after rows that follow it. */
  late: boolean;
  salt: Salt;
  index: RowIndex;
  /** The row, for errors. */
  place: () => string;
}

/** The salt of an event, from its number or from what it is about. */
export type Salt = (seq: number, about: string) => string;

/** How the events of a ledger hold the rows of a source. */
export interface RowForm extends IndexedForm {
  /** What a source is in which nothing is as it was imported. */
  other: string;
  /** Whether even a source of a few rows is another one when it has none of them. */
  refusesEmpty: boolean;
  /** Salts derive from the secret: the same rows in the same order give the same bytes. */
  salts(secret: Uint8Array): Salt;
  /** Whether a row of this time is late as an event of that time. `sealedUntil`: end of the last sealed slot, Unix ms. */
  isLate(own: string, timestamp: string, sealedUntil: number): boolean;
}
