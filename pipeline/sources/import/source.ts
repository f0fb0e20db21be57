import type { CathedralError } from '../../errors.ts';
import type { EventDraft } from '../../ledger/events/draft.ts';

/** Rows that become the events of a local ledger: a table of a database, a file. `import-rows.ts` follows them. A source only reads. */
export interface RowSource {
  /** For messages and events, without a password: `postgres://cathedral@db.example.org/registry?table=events`. */
  name: string;
  /** How to have the oldest rows first. */
  oldestFirst: string;
  /**
   * Opens the rows as they are now. `mark`: what the view of the last import asked to remember, null if nothing or if it is lost.
   * Throws `import_failed` if they cannot be read, or if they are no rows of events.
   */
  open(mark: string | null, opening: Opening): Promise<RowView>;
}

export interface Opening {
  /** Ids of the imported rows up to a place, from the newest, in parts; for a source that finds a place by its row, which may be deleted. */
  rowsUpTo: (place: RowPlace) => AsyncIterable<readonly string[]>;
  /** The clock, Unix ms. */
  now: number;
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

/** The rows of a source at one moment. They do not change until `close`. */
export interface RowView {
  /**
   * The rows in the source's order, in batches of any size. The order never changes, and new rows come after the others. `after`: those
   * after this place. `until`: those up to and including this place; without it, up to the last row before which no other row can still
   * appear. Throws `import_failed`, also in the midst.
   */
  rows(after: RowPlace | null, until?: RowPlace): AsyncIterable<readonly SourceRow[]>;
  /**
   * Number of rows in each stretch, with those that the mapping leaves out. Null where counting costs as much as reading.
   */
  counts(stretches: readonly Stretch[]): Promise<number[] | null>;
  /**
   * `rows` may hold rows back after a place. `since` is the time of the oldest one, in the ledger's form; its slot stays open. Null: none.
   * `unread`: where somebody should know.
   */
  held(after: RowPlace | null): Promise<{ since: string; unread?: Unread } | null>;
  /** What the next import gives to `open`. */
  mark: string | null;
  close(): Promise<void>;
}

/** A row and the event that it becomes. */
export interface SourceRow {
  /** Unique in the source and at most 200 characters. The event has it in `data.source.row`. */
  id: string;
  /** Its own time, in the ledger's form in UTC. */
  timestamp: string;
  /** Without `timestamp`, `seq` and `salt`; why the row is no event; or null for a row that the mapping leaves out. */
  draft: EventDraft | CathedralError | null;
}

/** The place of an imported row in the order of its source. All of it follows from the ledger. */
export interface RowPlace {
  id: string;
  timestamp: string;
  /** Number of rows up to it, without those that came late. */
  count: number;
}

/** The rows after one place, up to and including another. */
export interface Stretch {
  after: RowPlace | null;
  until: RowPlace;
}
