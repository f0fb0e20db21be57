import type { CathedralError } from '../../errors.ts';
import type { EventDraft } from '../../ledger/events/draft.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import type { EventLine } from '../../ledger/writing/ledger-writer.ts';
import type { Change, KnownRow, RowIndex, RowPlace } from './row-index.ts';

/**
 * Rows that become the events of a local ledger: a table of a database, a file, a remote ledger. `import-rows.ts` follows them. A source
 * only reads.
 */
export interface RowSource<Content = EventDraft> {
  /** For messages and events, without a password: `postgres://cathedral@db.example.org/registry?table=events`. */
  name: string;
  /** What to do where the newest rows come first; null: the source brings any order into its own. */
  oldestFirst: string | null;
  /** How the events of a ledger hold its rows. */
  form: RowForm<Content>;
  /** Every import compares the rows that are at most so far before the newest place; the unit is that of places. */
  overlap: number;
  /** Rows that an import compares together, when it compares older ones. */
  window: number;
  /** Slots are sealed that long after their end, because a row becomes visible some time after its own time, ms. */
  sealDelayMs: number;
  /** Whether a slot without events is sealed as a sign of life. */
  quiet: 'alive' | 'never';
  /** Opens the rows as they are now. Throws `import_failed` if they cannot be read, or if they are no rows of events. */
  open(opening: Opening): Promise<RowView<Content>>;
}

export interface Opening {
  /** What was imported before. */
  index: RowIndex;
  /** What the view of the last import asked to remember; null if nothing or if it is lost. */
  mark: string | null;
  /** The clock, Unix ms. */
  now: number;
}

/** The rows of a source. */
export interface RowView<Content = EventDraft> {
  /**
   * The rows in the source's order, in batches of any size; new rows come after the others. `after`: those after this place. Where the
   * order has changed, imported rows may be among them. `until`: those up to and including this place; without it, up to the last row before which no other row can still
   * appear. Throws `import_failed`, also in the midst.
   */
  rows(after: RowPlace | null, until?: RowPlace): AsyncIterable<readonly SourceRow<Content>[]>;
  /** The windows in which a row may be new or missing, found at less cost than by reading them. `imported`: number of imported rows in one. */
  suspects?(windows: readonly Stretch[], imported: (window: Stretch) => number): Promise<readonly Stretch[]>;
  /**
   * Those of these rows that are anywhere in the source: an order that the source gets anew moves rows, and deletes none. Throws
   * `import_failed` if two rows have one of these ids.
   */
  elsewhere?(ids: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /**
   * All rows that are new, late ones included, in their order; for a source whose order differs from that of its places, and which reads all of
   * them before one is taken. Missing: late rows come first, and those after the last imported one follow.
   */
  fresh?(): Promise<Iterable<readonly SourceRow<Content>[]>>;
  /** How often a row that is missing is looked for before it counts as deleted. Default: once. */
  passes?: number;
  /**
   * `rows` may hold rows back after a place. `since` is the time of the oldest one, in the ledger's form; its slot stays open. Null: none.
   * `unread`: where somebody should know.
   */
  held(after: RowPlace | null): Promise<{ since: string; unread?: Unread } | null>;
  /** Further alerts, once all rows have been read. */
  alerts?(): Iterable<SourceAlert>;
  /** What the next import gives to `open`. */
  mark: string | null;
  close(): Promise<void>;
}

/** A row and what it becomes. */
export interface SourceRow<Content = EventDraft> {
  /** Unique in the source and at most 200 characters. */
  id: string;
  /** Its own time, in the ledger's form in UTC. */
  timestamp: string;
  /** Its place; missing: after the rows before it. */
  place?: number;
  /** A draft without `timestamp`, `seq` and `salt`; why the row is no event; or null for a row that the mapping leaves out. */
  draft: Content | CathedralError | null;
}

/** The rows after one place, up to and including another. */
export interface Stretch {
  after: RowPlace | null;
  until: RowPlace;
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

/** Something about the rows that does not stop the import. Nearly all of it is in the ledger as well, in an alert. */
export interface RowFinding {
  /**
   * `late`: rows came after rows that follow them, or after the slot of their time had been sealed. `modified`, `deleted`: rows are no
   * longer as they were imported. `unread`: the last row of a file is not whole; no alert says so. `fork`: another event of a remote ledger has
   * the same predecessor. `gap`: the remote ledger does not have its predecessor. `payload_as_text`, `payload_as_hash`: the ledger holds its
   * payload only in this form.
   */
  kind: 'late' | 'modified' | 'deleted' | 'unread' | 'fork' | 'gap' | 'payload_as_text' | 'payload_as_hash';
  /** Ids of the rows. */
  rows: readonly string[];
  message: string;
}

export interface SourceAlert {
  finding: RowFinding;
  alert: string;
  data: { message: string } & Record<string, unknown>;
}

/** The next event's place in the ledger. */
export interface NextEvent {
  seq: number;
  /** The earliest time that it may have; null before the first event. */
  notBefore: string | null;
  /** The clock, Unix ms. */
  now: number;
}

/** What a row became. */
export interface Written {
  /** Its event, and what follows it. */
  events: EventLine[];
  /** The row as the index has it. */
  row: KnownRow;
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
export interface RowForm<Content> {
  /** What messages call a row. */
  noun: 'row' | 'event';
  /** What a source is in which nothing is as it was imported. */
  other: string;
  /** Whether even a source of a few rows is another one when it has none of them. */
  refusesEmpty: boolean;
  /** Salts derive from the secret: the same rows in the same order give the same bytes. */
  salts(secret: Uint8Array): Salt;
  /** What the import compares: hex SHA-256 of all that a row says. */
  digest(row: SourceRow<Content>): string;
  /** The row that an event was made of; null for any other event. Throws `import_failed` for an event of another ledger. */
  rowOf(event: LedgerEvent): KnownRow | null;
  /** The changes that an alert lists. */
  changesOf(event: LedgerEvent): Change[];
  /** A change as an alert lists it. `row`: as it is now; null: it was deleted. */
  listed(id: string, row: SourceRow<Content> | null): Record<string, unknown>;
  /** The event of a row. Throws `ledger_schema`, `ledger_order`, `ledger_corrupt` or `import_failed`. */
  write(row: SourceRow<Content> & { draft: Content }, next: NextEvent, context: WriteContext): Written;
  /** Whether a row of this time is late as an event of that time. `sealedUntil`: end of the last sealed slot, Unix ms. */
  isLate(own: string, timestamp: string, sealedUntil: number): boolean;
}
